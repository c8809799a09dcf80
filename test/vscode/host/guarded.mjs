import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const LOG_LENGTH = 4000;

/**
 * A command that ends together with everything it started when it is stopped, or when this process is gone.
 * @typedef {object} Guarded
 * @property {() => boolean} isRunning
 * @property {Promise<void>} ended resolves when it runs no more, for whatever reason
 * @property {() => string} log the last 4,000 characters that it wrote
 * @property {() => Promise<void>} stop resolves when nothing of it runs any more and its scratch folder is gone
 */

/**
 * Runs a command under `guard.mjs`.
 * @param {string[]} command
 * @param {{ scratch: string, env: NodeJS.ProcessEnv }} options
 * @returns {Guarded}
 */
export function spawnGuarded(command, { scratch, env }) {
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.mjs'), scratch, ...command], {
    stdio: 'pipe',
    // Out of reach of the Ctrl+C of a terminal: the guard learns through its stdin that this process ends.
    detached: true,
    env,
  });
  const ended = once(guard, 'exit');
  let log = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      log = (log + text).slice(-LOG_LENGTH);
    });
  }
  return {
    isRunning: () => guard.exitCode === null && guard.signalCode === null,
    ended: ended.then(() => undefined),
    log: () => log,
    async stop() {
      guard.stdin.end();
      await ended;
    },
  };
}

/**
 * `node guard.mjs SCRATCH COMMAND ARG…` runs a command in a process group of its own. When the command ends, or when
 * this process's stdin does (its parent stopped it or died, however), the whole group ends and SCRATCH is removed.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const GRACE_MS = 3000;
const [scratch = '', command = '', ...args] = process.argv.slice(2);

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  try {
    process.kill(-Number(child.pid), signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

function stop() {
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), GRACE_MS).unref();
}

child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code) => {
  signalGroup('SIGKILL');
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  process.exit(code ?? 1);
});
process.stdin.on('end', stop).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

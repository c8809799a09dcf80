import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addExtensions } from './extensions.mjs';
import { spawnGuarded } from './guarded.mjs';
import { installVsCode } from './install.mjs';
import { defaultSettings } from './settings.mjs';

/** @import { Guarded } from './guarded.mjs' */
/** @import { VersionName } from './versions.mjs' */

/**
 * @typedef {object} ServerOptions
 * @property {VersionName} [version]
 * @property {string} [scratch] a new folder that the server owns and removes; one in the temp folder when left out
 * @property {string} [dataDir] where VS Code keeps settings and logs; in the scratch folder when left out. Settings that
 *   are there already stay as they are
 * @property {Record<string, unknown>} [settings] the user's settings, over those that keep VS Code quiet
 * @property {Record<string, unknown>} [machineSettings] settings of machine scope: VS Code reads those from the server
 * @property {string[]} [extensions] extensions to install: folders and .vsix files
 * @property {Record<string, string>} [env] for the server and so for the extension host
 * @property {boolean} [driver] the smoke-test driver: needed to run a suite, but it hides notifications
 * @property {boolean} [trusted] whether every workspace is trusted without asking
 * @property {number} [port] taken if it is free; another one otherwise
 */

/**
 * A VS Code server on loopback that only who knows its token can use.
 * @typedef {object} Server
 * @property {string} scratch
 * @property {string} authority host and port
 * @property {(query: Record<string, string>) => string} address of the workbench
 * @property {Promise<void>} ended resolves when the server runs no more, for whatever reason
 * @property {() => string} log what the server wrote, its last 4,000 characters
 * @property {() => Promise<void>} stop ends everything that it started and removes the scratch folder
 */

const START_TIMEOUT_MS = 60_000;

// The built-in assistant, account and marketplace parts ask the network at start; a bridge without a port keeps the
// built-in agent host from starting.
const QUIET_ENV = { EXTENSIONS_GALLERY: '{}', VSCODE_SKIP_BUILTIN_EXTENSIONS: 'GitHub.copilot-chat' };
const QUIET_ARGS = ['--agent-host-bridge-host', '127.0.0.1', '--telemetry-level', 'off'];

/** @returns {Promise<string>} a new folder for one server and the copies it works on */
export function newScratch() {
  return mkdtemp(join(tmpdir(), 'agent-logbook-'));
}

/**
 * Starts VS Code with its own data, settings and extensions.
 * @param {ServerOptions} [options]
 * @returns {Promise<Server>}
 */
export async function startServer(options = {}) {
  const { version, driver = false, trusted = true } = options;
  const vscode = await installVsCode(version);
  const scratch = options.scratch ?? (await newScratch());
  const dataDir = options.dataDir ?? join(scratch, 'server');
  const extensionsDir = join(scratch, 'extensions');
  await writeSettings(dataDir, { ...options, trusted });
  await addExtensions(vscode, { dataDir, extensionsDir }, options.extensions ?? []);

  const token = randomUUID();
  const tokenFile = join(scratch, 'token');
  await writeFile(tokenFile, token, { mode: 0o600 });
  const port = await freePort(options.port);
  const guarded = spawnGuarded(
    [
      vscode.node,
      join(vscode.root, 'out/server-main.js'),
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--connection-token-file',
      tokenFile,
      '--server-data-dir',
      dataDir,
      '--extensions-dir',
      extensionsDir,
      '--accept-server-license-terms',
      ...(driver ? ['--enable-smoke-test-driver'] : []),
      ...(trusted ? ['--disable-workspace-trust'] : []),
      ...QUIET_ARGS,
    ],
    { scratch, env: { ...process.env, ...QUIET_ENV, ...options.env } },
  );
  const authority = `127.0.0.1:${port}`;
  await untilAnswered(authority, guarded);
  return {
    scratch,
    authority,
    address: (query) => `http://${authority}/?${new URLSearchParams({ tkn: token, ...query })}`,
    ended: guarded.ended,
    log: guarded.log,
    stop: guarded.stop,
  };
}

/**
 * Waits for the server; ends it and throws what it wrote when it does not come.
 * @param {string} authority
 * @param {Guarded} guarded
 */
async function untilAnswered(authority, guarded) {
  for (const end = Date.now() + START_TIMEOUT_MS; !(await answers(authority)); await sleep(30)) {
    if (guarded.isRunning() && Date.now() < end) continue;
    await guarded.stop();
    throw new Error(`The VS Code server did not start.\n${guarded.log()}`);
  }
}

/** @param {string} authority */
async function answers(authority) {
  try {
    return (await fetch(`http://${authority}/version`)).ok;
  } catch {
    // Not listening yet; the caller asks again and knows when to give up.
    return false;
  }
}

/**
 * Writes the settings that VS Code reads when a window opens. Those that are there already stay as they are.
 * @param {string} dataDir
 * @param {Pick<ServerOptions, 'trusted' | 'settings' | 'machineSettings'>} options
 */
export async function writeSettings(dataDir, { trusted = true, settings, machineSettings }) {
  const files = { User: { ...defaultSettings({ trusted }), ...settings }, Machine: machineSettings ?? {} };
  for (const [scope, values] of Object.entries(files)) {
    const file = join(dataDir, 'data', scope, 'settings.json');
    await mkdir(dirname(file), { recursive: true });
    if (!existsSync(file)) await writeFile(file, `${JSON.stringify(values, null, 2)}\n`);
  }
}

/**
 * A port that was free a moment ago: the one that is wished for, or any.
 * @param {number} [wish]
 * @returns {Promise<number>}
 */
async function freePort(wish = 0) {
  const probe = createServer();
  try {
    await once(probe.listen(wish, '127.0.0.1'), 'listening');
  } catch (error) {
    if (wish === 0) throw error;
    return freePort();
  }
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('No port could be found on loopback.');
  return address.port;
}

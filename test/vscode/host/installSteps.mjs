import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installPackages, npmCi } from './installOnce.mjs';

/** @import { Version } from './versions.mjs' */

/** The modules that stand in for those of VS Code that npm brings without a binary. */
export const shims = join(import.meta.dirname, 'shims');

/**
 * Installs a version of VS Code into an empty folder.
 * @param {Version} version
 * @param {string} folder
 */
export async function installInto(version, folder) {
  await installPackages(version.folder, folder);
  // VS Code's own packages are pinned by the shrinkwrap inside code-server, which its peer ranges do not agree with.
  const vscode = join(folder, 'node_modules/code-server/lib/vscode');
  await npmCi(vscode, '--omit=dev', '--legacy-peer-deps');
  for (const { from, shim, to } of version.patches) {
    const target = join(vscode, 'node_modules', to);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(shim ? join(shims, from) : join(folder, 'node_modules', from), target);
  }
}

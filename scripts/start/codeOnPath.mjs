import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasDesktop, NO_DESKTOP } from './launcher.mjs';

/** @import { Launcher } from './launcher.mjs' */

// `code` is a shell script, or a .cmd file on Windows, which only a shell can run.
const shell = process.platform === 'win32';

/**
 * Opens a window of the user's own VS Code, with their models and keys.
 * @type {Launcher}
 */
export async function startCodeOnPath({ extension, workspace }) {
  const version = await versionOfCode();
  if (version === undefined) return '`code` is not on PATH.';
  if (!hasDesktop()) return NO_DESKTOP;
  const oldest = await oldestVersion(extension);
  if (isOlder(version, oldest)) return `VS Code ${version} is older than ${oldest}; update it.`;

  console.log(`Opening VS Code ${version} with ${workspace}. Close its window to end.`);
  const quote = (/** @type {string} */ path) => (shell ? `"${path}"` : path);
  const args = ['--new-window', '--wait', `--extensionDevelopmentPath=${quote(extension)}`, quote(workspace)];
  const child = spawn('code', args, { stdio: 'inherit', shell });
  const [code, signal] = await once(child, 'exit');
  return code === 0 || signal ? undefined : `\`code\` ended with ${code}.`;
}

/** @returns {Promise<string | undefined>} */
async function versionOfCode() {
  try {
    const { stdout } = await promisify(execFile)('code', ['--version'], { shell });
    return stdout.split('\n')[0]?.trim();
  } catch {
    // Not installed, or not able to start: either way another VS Code is needed.
    return undefined;
  }
}

/** @param {string} extension */
async function oldestVersion(extension) {
  const { engines } = JSON.parse(await readFile(join(extension, 'package.json'), 'utf8'));
  return String(engines.vscode).replace('^', '');
}

/**
 * @param {string} version
 * @param {string} than
 */
function isOlder(version, than) {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

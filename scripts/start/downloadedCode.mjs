import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { cacheFolder } from '../../test/vscode/host/cache.mjs';
import { hasDesktop, NO_DESKTOP } from './launcher.mjs';

/** @import { Launcher } from './launcher.mjs' */

/**
 * Opens a VS Code that is downloaded once, with data of its own.
 * @type {Launcher}
 */
export async function startDownloadedCode({ extension, workspace }) {
  if (!hasDesktop()) return NO_DESKTOP;
  const cachePath = cacheFolder('vscode-desktop');
  /** @type {string} */
  let executable;
  try {
    executable = await downloadAndUnzipVSCode({ version: 'stable', cachePath });
  } catch (error) {
    return `it could not be downloaded (${error instanceof Error ? error.message : error}).`;
  }
  console.log(`Opening ${executable} with ${workspace}. Close its window, or press Ctrl+C, to end.`);
  const child = spawn(
    executable,
    [
      `--extensionDevelopmentPath=${extension}`,
      `--user-data-dir=${join(cachePath, 'data')}`,
      `--extensions-dir=${join(cachePath, 'extensions')}`,
      '--disable-workspace-trust',
      '--skip-welcome',
      '--skip-release-notes',
      workspace,
    ],
    { stdio: 'inherit' },
  );
  const [code, signal] = await once(child, 'exit');
  return code === 0 || signal ? undefined : `it ended with ${code}.`;
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startDownloadedCode } from './downloadedCode.mjs';
import { startCodeOnPath } from './codeOnPath.mjs';
import { startServerFromNpm } from './serverFromNpm.mjs';

/** @import { Launcher } from './launcher.mjs' */

const root = join(import.meta.dirname, '../..');

/** @type {{ name: string, start: Launcher }[]} */
const launchers = [
  { name: 'VS Code on PATH', start: startCodeOnPath },
  { name: 'VS Code downloaded for this project', start: startDownloadedCode },
  { name: 'VS Code server from npm, in a browser', start: startServerFromNpm },
];

/**
 * Builds the extension and opens the sample workspace in the first VS Code that this machine has to offer.
 * @param {{ build: boolean }} options `build` is false where what was built before is opened
 */
export async function startCode({ build }) {
  if (build) {
    console.log('Building the extension …');
    execFileSync(process.execPath, [join(root, 'esbuild.mjs')], { stdio: 'inherit' });
  }

  const what = { extension: root, workspace: join(root, 'samples/team') };
  for (const { name, start } of launchers) {
    console.log(`Trying ${name} …`);
    const reason = await start(what);
    if (reason === undefined) return;
    console.log(`  Not possible: ${reason}`);
  }
  throw new Error(
    'No VS Code could be started. Install it from https://code.visualstudio.com so that `code` is on PATH, then run `npm start` again.',
  );
}

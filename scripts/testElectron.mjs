/** Runs the suite of `test/vscode/suite` in a VS Code with a window, which is downloaded once where that is possible. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { cacheFolder } from '../test/vscode/host/cache.mjs';
import { copyWorkspace } from '../test/vscode/host/host.mjs';
import { newScratch } from '../test/vscode/host/server.mjs';
import { defaultSettings } from '../test/vscode/host/settings.mjs';
import { judge } from '../test/vscode/host/verdict.mjs';
import { buildSuite, testExtensions } from './buildSuite.mjs';
import { reportCounts } from './counts.mjs';

/** @import { SuiteResult } from '../test/vscode/host/verdict.mjs' */

const root = join(import.meta.dirname, '..');

/**
 * @param {string} executable
 * @returns {Promise<SuiteResult>}
 */
async function runSuite(executable) {
  const scratch = await newScratch();
  const workspace = join(scratch, 'workspaces/team');
  const userData = join(scratch, 'user-data');
  const report = join(scratch, 'report.json');
  try {
    await copyWorkspace(join(root, 'samples/team'), workspace);
    await mkdir(join(userData, 'User'), { recursive: true });
    await writeFile(join(userData, 'User/settings.json'), JSON.stringify(defaultSettings({ trusted: true })));
    const run = runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: [root, ...testExtensions()],
      extensionTestsPath: await buildSuite(),
      extensionTestsEnv: { AGENT_LOGBOOK_TEST_REPORT: report },
      launchArgs: [
        workspace,
        `--user-data-dir=${userData}`,
        `--extensions-dir=${join(scratch, 'extensions')}`,
        '--disable-extensions',
        '--disable-workspace-trust',
      ],
    });
    const problem = await run.then(
      () => undefined,
      (error) => String(error.message),
    );
    return await judge(problem, report);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function main() {
  /** @type {string} */
  let executable;
  try {
    executable = await downloadAndUnzipVSCode({
      version: 'stable',
      cachePath: cacheFolder('vscode-desktop'),
    });
  } catch (error) {
    throw new Error(
      `VS Code could not be downloaded (${error instanceof Error ? error.message : error}). ` +
        '`npm run test:vscode` runs the same suite in a VS Code server from npm.',
    );
  }
  const result = await runSuite(executable);
  await reportCounts(result);
  if (result.problem) throw new Error(result.problem);
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

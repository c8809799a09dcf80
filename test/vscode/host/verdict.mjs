import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * How a suite went. `problem` says why it is not a success; `reported` whether its tests ran to their end.
 * @typedef {{ passed: number, failed: number, problem: string | undefined, reported: boolean }} SuiteResult
 */

/**
 * VS Code calls it a success when the extension host dies: only a report of passed tests is believed.
 * @param {string | undefined} problem what VS Code noticed
 * @param {string} report the file in which the tests report from inside the extension host
 * @returns {Promise<SuiteResult>}
 */
export async function judge(problem, report) {
  if (!existsSync(report)) {
    const why = problem ?? 'The extension host ended before the tests did.';
    return { passed: 0, failed: 1, problem: why, reported: false };
  }
  const { passed, failed } = JSON.parse(await readFile(report, 'utf8'));
  if (failed > 0) return { passed, failed, problem: `${failed} failed.`, reported: true };
  if (passed === 0) return { passed, failed: 1, problem: 'No test ran.', reported: true };
  return { passed, failed: problem ? 1 : 0, problem, reported: true };
}

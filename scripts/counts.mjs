import { readFile, writeFile } from 'node:fs/promises';

/** How many tests passed and failed. @typedef {{ passed: number, failed: number }} Counts */

/**
 * Tells the counts of a run to `scripts/test.mjs`, which names the file for it; nothing when nobody asks.
 * @param {Counts} counts
 */
export async function reportCounts({ passed, failed }) {
  const file = process.env.AGENT_LOGBOOK_COUNTS;
  if (file) await writeFile(file, JSON.stringify({ passed, failed }));
}

/**
 * Reads what `reportCounts` or vitest's JSON reporter wrote.
 * @param {string} file
 * @returns {Promise<Counts>}
 */
export async function readCounts(file) {
  const report = JSON.parse(await readFile(file, 'utf8'));
  return {
    passed: report.passed ?? report.numPassedTests,
    failed: report.failed ?? report.numFailedTests,
  };
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { watch } from 'rolldown';
import { expect, test } from 'vitest';
import { WatchReport } from '../../../scripts/watchReport.mjs';
import { temporaryFolder } from '../../support/storeFixture.js';

/** What the problem matcher of the task that watches looks for, in the order of the lines. */
async function matcher() {
  const tasks = await readFile(join(import.meta.dirname, '../../../.vscode/tasks.json'), 'utf8');
  const patterns = [...tasks.matchAll(/"(?:regexp|\w+Pattern)": (".*?[^\\]")/g)];
  const [error, empty, place, begins, ends] = patterns.map(
    ([, text = '""']) => new RegExp(String(JSON.parse(text))),
  );
  if (!error || !empty || !place || !begins || !ends) throw new Error('the matcher has other patterns');
  return { error, empty, place, begins, ends };
}

/** What one report says of a file with each of these contents in turn, by the rounds that it marks. */
async function roundsOver(...contents: readonly string[]): Promise<readonly string[][]> {
  const { begins, ends } = await matcher();
  const rounds: string[][] = [];
  const root = await temporaryFolder();
  const report = new WatchReport(root, (text) => {
    if (begins.test(text)) rounds.push([]);
    else if (!ends.test(text)) rounds.at(-1)?.push(...text.split('\n'));
  });
  for (const content of contents) await watchedOnce(report, root, content);
  return rounds;
}

/** Each content has a watcher of its own: how the system tells of a changed file is none of the report's business. */
async function watchedOnce(report: WatchReport, root: string, content: string): Promise<void> {
  await writeFile(join(root, 'oven.ts'), content);
  const watcher = watch({
    cwd: root,
    input: 'oven.ts',
    logLevel: 'silent',
    output: { dir: join(root, 'out') },
  });
  await new Promise<void>((done, fail) => {
    watcher.on('event', async (event) => {
      await report.take(event).catch(fail);
      if (event.code === 'END') done();
    });
  });
  await watcher.close();
}

test('the problem matcher finds file, line and column of what does not build, in each round anew', async () => {
  const { error, empty, place } = await matcher();
  const [wrong = [], missing = [], right] = await roundsOver(
    'export const loaf = 1;\nexport const crumb = = 2;\n',
    "export const loaf = 1;\nimport './noOven.js';\n",
    'export const loaf = 1;\n',
  );
  expect(error.exec(wrong[0] ?? '')?.slice(1)).toEqual(['ERROR', '[PARSE_ERROR] Unexpected token']);
  expect(wrong[1]).toMatch(empty);
  expect(place.exec(wrong[2] ?? '')?.slice(1)).toEqual(['oven.ts', '2', '21']);
  expect(wrong[3]).toContain('export const crumb = = 2;');
  expect(missing[0]).toContain("Could not resolve './noOven.js'");
  expect(place.exec(missing[2] ?? '')?.slice(1)).toEqual(['oven.ts', '2', '7']);
  expect(right).toEqual([]);
});

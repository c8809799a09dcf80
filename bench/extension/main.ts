import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import { bundleSize, folderSize } from './bundles.js';
import type { LoadTime } from './childLoad.js';

const ROUNDS = 7;
const kilobytes = (bytes: number) => `${figures(bytes / 1000)} KB`;

/** From nothing to the extension's `activate`, each time in a fresh process. */
async function loadTime(): Promise<string> {
  const times: LoadTime[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const result = await runChild<LoadTime>('extension/childLoad', [], 30_000);
    if ('answer' in result) times.push(result.answer);
    else console.error(result.words);
  }
  if (times.length === 0) return '–';
  const [ms, processorMs] = [times.map((time) => time.ms), times.map((time) => time.processorMs)];
  return `${duration(median(ms))}, ${duration(median(processorMs))} of them on the processor`;
}

const rows: string[][] = [];
for (const [name, entry, goal] of [
  ['the extension, when it is activated', 'extension.js', '200 KB'],
  ['the panel', 'webview/main.js', '350 KB'],
  ['the library', 'library.mjs', ''],
] as const) {
  const size = bundleSize(entry);
  if (size) rows.push([name, kilobytes(size.atOnce), kilobytes(size.later), goal]);
  else console.error(`dist/${entry} is not built.`);
}
rows.push(['the workers, on first use', '', kilobytes(folderSize('workers', '.js')), '']);
rows.push(['the token ranks, on first use', '', kilobytes(folderSize('tokens', '.ranks')), '']);
const head = ['minified', 'loaded at once', 'on first use', 'goal'];
console.log(`## The extension\n\n${markdownTable(head, rows)}\n`);
console.log(
  `The extension's entry is loaded within ${await loadTime()} (medians of ${ROUNDS}, without VS Code).\n`,
);

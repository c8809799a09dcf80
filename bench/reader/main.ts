import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTeamJournal } from '../analysis/makeTeamJournal.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { ReaderFigures } from './child.js';

/** About 1.2 KB each in the journal. */
const MESSAGES = Number(process.env.AGENT_LOGBOOK_LARGE_MESSAGES ?? 100_000);
const ROUNDS = 3;
const LIMIT_MS = 300_000;
const NEWLINE = 0x0a;

const { root, conversation, file, bytes } = await makeTeamJournal(temporaryFolder(), MESSAGES);

/** How long `JSON.parse` of every line takes on one thread, the file in memory. */
function parseAll(): number {
  const whole = readFileSync(file);
  const start = performance.now();
  for (let at = whole.indexOf(NEWLINE) + 1; at < whole.length;) {
    const end = whole.indexOf(NEWLINE, at);
    JSON.parse(whole.toString('utf8', at, end));
    at = end + 1;
  }
  return performance.now() - start;
}

async function seen(isFresh: boolean): Promise<ReaderFigures> {
  if (isFresh) rmSync(join(dirname(file), 'index.bin'), { force: true });
  const child = await runChild<ReaderFigures>('reader/child', [root, conversation], LIMIT_MS);
  if ('failure' in child) throw new Error(child.words);
  return child.answer;
}

const parsed: number[] = [];
const rounds: { readonly fresh: ReaderFigures[]; readonly again: ReaderFigures[] } = { fresh: [], again: [] };
for (let round = 0; round < ROUNDS; round++) {
  parsed.push(parseAll());
  rounds.fresh.push(await seen(true));
  rounds.again.push(await seen(false));
}
const limit = median(parsed);
const cells = (all: readonly ReaderFigures[], what: keyof ReaderFigures, show: (value: number) => string) =>
  show(median(all.map((each) => each[what])));
const row = (words: string, what: keyof ReaderFigures, show: (value: number) => string) => [
  words,
  cells(rounds.fresh, what, show),
  cells(rounds.again, what, show),
];
const megabytes = (value: number) => `${figures(value)} MB`;
const times = (value: number) => `${duration(value)} (${figures(value / limit)} ×)`;
console.log(
  `## A panel’s reader (${MESSAGES.toLocaleString('en-US')} messages, ${figures(bytes / 1e6)} MB, median of ${ROUNDS})\n\n${markdownTable(
    ['what', 'no cache', 'reopened'],
    [
      ['`JSON.parse` of every line, one thread: the limit', duration(limit), duration(limit)],
      row('first rows', 'firstRows', duration),
      row('all of it read (beside the limit)', 'allRead', times),
      row('and all views answered', 'allViews', times),
      row('first matches of a common word', 'firstMatches', duration),
      row('all of its matches', 'allMatches', duration),
      row('longest time in which the editor’s thread could do nothing else', 'stall', duration),
      row('the editor’s thread: heap above rest, at most', 'heap', megabytes),
      row('the whole process above rest, at most', 'process', megabytes),
      row('the whole process above rest, after the panel is closed', 'processAfter', megabytes),
    ],
  )}\n`,
);

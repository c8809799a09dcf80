import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTeamJournal } from '../analysis/makeTeamJournal.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { ReaderFigures } from './child.js';
import type { LiveFigures } from './childLive.js';

/** About 1.4 KB each in the journal; the large one is opened but once. */
const SIZES = [
  { messages: 100_000, rounds: 3 },
  { messages: Number(process.env.AGENT_LOGBOOK_LARGE_MESSAGES ?? 1_000_000), rounds: 1 },
] as const;
const LIMIT_MS = 600_000;
const NEWLINE = 0x0a;

/** How long `JSON.parse` of every line takes on one thread, the file in memory. */
function parseAll(file: string): number {
  const whole = readFileSync(file);
  const start = performance.now();
  for (let at = whole.indexOf(NEWLINE) + 1; at < whole.length;) {
    const end = whole.indexOf(NEWLINE, at);
    JSON.parse(whole.toString('utf8', at, end));
    at = end + 1;
  }
  return performance.now() - start;
}

/** What a child answers; throws where it fails. */
async function answerOf<T>(script: string, words: readonly string[]): Promise<T> {
  const child = await runChild<T>(script, [...words], LIMIT_MS);
  if ('failure' in child) throw new Error(child.words);
  return child.answer;
}

const megabytes = (value: number) => `${figures(value)} MB`;
const percent = (value: number) => `${figures(100 * value)} %`;

async function opened(messages: number, rounds: number): Promise<string> {
  const { root, conversation, file, bytes } = await makeTeamJournal(temporaryFolder(), messages);
  const parsed: number[] = [];
  const seen: { readonly fresh: ReaderFigures[]; readonly again: ReaderFigures[] } = { fresh: [], again: [] };
  for (let round = 0; round < rounds; round++) {
    parsed.push(parseAll(file));
    for (const cache of ['index.bin', 'columns.bin', 'views.bin'])
      rmSync(join(dirname(file), cache), { force: true });
    seen.fresh.push(await answerOf('reader/child', [root, conversation]));
    seen.again.push(await answerOf('reader/child', [root, conversation]));
  }
  const limit = median(parsed);
  const row = (words: string, what: keyof ReaderFigures, show: (value: number) => string, goal = '') => [
    words,
    ...[seen.fresh, seen.again].map((all) => show(median(all.map((each) => each[what])))),
    goal,
  ];
  const times = (value: number) => `${duration(value)} (${figures(value / limit)} ×)`;
  const table = markdownTable(
    [`${figures(messages)} messages, ${figures(bytes / 1e6)} MB`, 'no cache', 'reopened', 'goal of 1 GB'],
    [
      ['`JSON.parse` of every line, one thread: the limit', duration(limit), duration(limit), ''],
      row('first rows', 'firstRows', duration, 'reopened 100 ms'),
      ['all views, asked for at once', '–', row('', 'viewsAtOnce', duration)[2] ?? '', '300 ms'],
      row('all of it read (beside the limit)', 'allRead', times),
      row('and all views answered', 'allViews', times, 'no cache 6 s'),
      row('a common word is typed: first matches, from the last key', 'firstMatches', duration, '100 ms'),
      row('all of its matches', 'allMatches', duration, '400 ms'),
      row('longest work of the editor’s thread', 'worked', duration, '10 ms'),
      row('the same, with what it waits for a processor', 'stall', duration),
      row('the editor’s thread: heap above rest, at most', 'heap', megabytes, '100 MB'),
      row('the whole process above rest, at most', 'process', megabytes, '400 MB'),
      row('the whole process above rest, after the panel is closed', 'processAfter', megabytes, '100 MB'),
    ],
  );
  rmSync(root, { recursive: true, force: true });
  return table;
}

console.log('## A panel’s reader\n');
for (const { messages, rounds } of SIZES) console.log(`${await opened(messages, rounds)}\n`);
const { alone, followed, shown } = await answerOf<LiveFigures>('reader/childLive', [temporaryFolder()]);
console.log(
  `${markdownTable(
    ['1,000 messages a second, of the time of the thread that records them', 'share'],
    [
      ['recording alone', percent(alone)],
      ['recording, and a panel follows', percent(followed)],
      ['what following takes (at most 5 %)', percent(followed - alone)],
    ],
  )}\n\nOf the last 5,000 messages ${figures(shown)} were in the panel’s list a second later.\n`,
);

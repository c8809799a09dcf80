import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';

const ROUNDS = 5;

/** What is compared once it is read, and how long that may take, in milliseconds of processor. */
const CASES = [
  ['nothing unique', '10,000 steps with 10,000, none of them unique', 1_200],
  ['with anchors', '10,000 steps with 10,000, nine of ten in both', 300],
  ['set', '200 runs of 500 steps with the first', 3_000],
  ['replay', 'a run of 1,000 steps, replayed', 2_000],
  ['expectations', '1,000 tests, each with a stored run of its own, which is read', 5_000],
] as const;
/** Which file measures what, where that is not the first one. */
const FILES: Readonly<Record<string, string>> = { replay: 'Replay', expectations: 'Expectations' };
/** What it may take of memory, in bytes. */
const MOST_BYTES = 150 * 1024 * 1024;

interface Measured {
  readonly ms: number;
  readonly bytes: number;
  readonly way: string;
}

const rows: string[][] = [];
for (const [name, words, limit] of CASES) {
  const taken: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const file = `compare/child${FILES[name] ?? 'Times'}`;
    const child = await runChild<Measured>(file, [name], 120_000);
    if (!('answer' in child)) throw new Error(`${name}: ${child.words}`);
    taken.push(child.answer);
  }
  const [ms, bytes] = [median(taken.map((each) => each.ms)), Math.max(...taken.map((each) => each.bytes))];
  const isKept = ms <= limit && bytes <= MOST_BYTES;
  rows.push([
    words,
    duration(ms),
    duration(limit),
    `${figures(bytes / 1024 / 1024)} MB`,
    taken[0]?.way ?? '',
    isKept ? 'kept' : 'missed',
  ]);
}
console.log(
  `## Comparing\n\n${markdownTable(['compared, once read', 'processor', 'limit', 'memory', 'way', `at most ${figures(MOST_BYTES / 1024 / 1024)} MB`], rows)}\n`,
);

import { figures, duration, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';

/** How long a counter may take for one text, in milliseconds, before it is given up. */
const LIMIT = 20_000;
const LENGTHS = [10_000, 100_000, 1_000_000];

/** What tool output is full of: units that fill a text without a border between pieces. */
const units: readonly (readonly [string, string])[] = [
  ['a', 'a'],
  ['space', ' '],
  ['line end', '\n'],
  ['dash', '-'],
  ['A', 'A'],
  ['CJK', '啊'],
  ['emoji', '😀'],
  ['chain', 'dqyjhgzlwfjmwjbmvhwlvpdmcvuoqaezzujuzyltihruppracher'],
];

/** How long each counter takes for one letter repeated. */
export async function oneLetter(names: readonly string[]): Promise<string> {
  const rows: string[][] = [];
  for (const name of names) {
    const cells: string[] = [];
    let last = 0;
    for (const length of LENGTHS) {
      const time = last > LIMIT / 20 ? undefined : await hardTime(name, 'a', length);
      cells.push(time === undefined ? '–' : time > LIMIT ? `> ${duration(LIMIT)}` : duration(time));
      last = time ?? Infinity;
    }
    rows.push([name, ...cells]);
  }
  return markdownTable(['counter', ...LENGTHS.map((length) => `${figures(length)} × "a"`)], rows);
}

/** How one counter's time grows with each unit. */
export async function growth(name: string): Promise<string> {
  const rows: string[][] = [];
  for (const [label, unit] of units) {
    const short = (await hardTime(name, unit, 100_000)) ?? NaN;
    const long = (await hardTime(name, unit, 1_000_000)) ?? NaN;
    rows.push([label, duration(short), duration(long), figures(long / short)]);
  }
  return markdownTable([`${name}: runs of`, '100,000 units', '1,000,000 units', 'growth for 10 ×'], rows);
}

/** Milliseconds, Infinity where it takes too long; undefined where the counter is not there. */
async function hardTime(name: string, unit: string, length: number): Promise<number | undefined> {
  const result = await runChild<number>('tokens/childHard', [name, unit, String(length)], LIMIT + 3_000);
  if ('answer' in result) return result.answer;
  return result.failure === 'time' ? Infinity : undefined;
}

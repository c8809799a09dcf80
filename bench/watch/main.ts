import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { startChild } from '../harness/startChild.js';
import { median } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { lineAt, makeTranscript } from '../import/makeTranscript.js';
import type { WatchFigures, WatchLateness } from './child.js';

const LIMIT_MS = 600_000;
/** How many sessions are live, how large they are, and how often a line is written to each. */
const LIVE = 50;
const LIVE_BYTES = 500_000;
const LINE_EVERY_MS = 1_000;
/** How long they are looked at at once without rules and then with them, and how often. */
const WATCHED_MS = 15_000;
const TURNS = 3;

const home = temporaryFolder();
const project = join(home, '.claude/projects/-project');
mkdirSync(project, { recursive: true });
const paths = Array.from({ length: LIVE }, (_, at) => join(project, `${at}.jsonl`));
const ends = paths.map((path) => makeTranscript(path, 'session of Claude Code', LIVE_BYTES));

/** Writes a line to each session in turn. */
async function write(): Promise<void> {
  const begun = performance.now();
  for (let at = 0; performance.now() - begun < WATCHED_MS; at++) {
    const of = at % LIVE;
    const next = ends[of]!++;
    appendFileSync(paths[of]!, `${JSON.stringify(lineAt(next))}\n`);
    await delay(Math.max(0, begun + ((at + 1) * LINE_EVERY_MS) / LIVE - performance.now()));
  }
}

const late = await runChild<WatchLateness>('watch/child', [home, 'late'], LIMIT_MS);
if ('failure' in late) throw new Error(late.words);
const { known, waits, finished } = late.answer;
const shares = { bare: [] as number[], rules: [] as number[] };
for (let turn = 0; turn < TURNS; turn++)
  for (const mode of ['bare', 'rules'] as const) {
    const child = await startChild<object, WatchFigures>('watch/child', [home, mode]);
    await write();
    const { share, looks } = await child.end();
    if (looks === 0) throw new Error('Nobody looked.');
    shares[mode].push(share);
  }

const longest = (all: readonly number[]) => duration(Math.max(...all));
const usual = (all: readonly number[]) => duration(median(all));
const of = (mode: keyof typeof shares) => `${figures(median(shares[mode]) * 100)} %`;
const looked = `${LIVE} live sessions, a line a second in each, looked at: of a processor`;
const rows = [
  [`what a session does is known (${known.length} of them)`, usual(known), longest(known), '2 s'],
  [`a notice that one waits (${waits.length})`, usual(waits), longest(waits), '5 s'],
  [`a notice that one has finished (${finished.length})`, usual(finished), longest(finished), '8 s'],
  [`${looked}, without rules`, of('bare'), '', '-'],
  [`${looked}, with six rules`, of('rules'), '', '-'],
];
console.log(`## Watching\n\n${markdownTable(['what', 'median', 'the latest', 'goal'], rows)}\n`);

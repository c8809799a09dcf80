import { join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { ManyCost } from './childMany.js';
import type { Part, ReadCost } from './childRead.js';
import { makeTranscript, type TranscriptForm } from './makeTranscript.js';

const LIMIT_MS = 1_200_000;
const MEGABYTE = 1e6;
/** Which files are read, in megabytes, and how: with the records passed on one by one, or all held. */
const FILES: readonly (readonly [form: TranscriptForm, size: number, how: 'passed on' | 'all held'])[] = [
  ['messages a line', 100, 'all held'],
  ['messages a line', 300, 'passed on'],
  ['session of Claude Code', 300, 'passed on'],
  ['session of Claude Code', 1_000, 'passed on'],
  ['session of Claude Code', 2_000, 'passed on'],
  ['spans of many traces', 300, 'passed on'],
  ['one value', 100, 'all held'],
  ['one value', 300, 'passed on'],
  ['one value', 300, 'all held'],
];
const COUNTS = [500, 2_000] as const;

async function cost<Cost>(script: string, ...args: readonly string[]): Promise<Cost> {
  const result = await runChild<Cost>(`import/${script}`, args, LIMIT_MS);
  if ('failure' in result) throw new Error(`${script}: ${result.failure} ${result.words}`);
  return result.answer;
}

const folder = temporaryFolder();
const large: string[][] = [];
const times: string[][] = [];
/** The parts of the work, by what they do. */
const PARTS: readonly Part[] = ['reading', 'records', 'comparing', 'passing on'];
for (const [form, size, how] of FILES) {
  const path = join(folder, 'transcript.json');
  makeTranscript(path, form, size * MEGABYTE);
  const { records, milliseconds, parts, peak, bytes } = await cost<ReadCost>('childRead', path, how);
  const memory = `${figures(peak / MEGABYTE)} MB`;
  large.push([
    `${figures(size)} MB, ${form}`,
    how,
    figures(records),
    duration(milliseconds),
    memory,
    `${figures(peak / bytes)} ×`,
  ]);
  if (parts.reading !== undefined)
    times.push([`${figures(size)} MB, ${form}`, ...PARTS.map((part) => duration(parts[part] ?? 0))]);
}
console.log(
  `## Large imports\n\n${markdownTable(['one file', 'its records', 'how many', 'read in', 'memory at most', 'of its size'], large)}\n`,
);

console.log(
  `${markdownTable(['one file', 'its lines are read', 'records are made', 'each line is compared', 'records are passed on'], times)}\n`,
);

const many: string[][] = [];
for (const count of COUNTS) {
  const { first, last, processor } = await cost<ManyCost>('childMany', String(count));
  many.push([figures(count), `${figures(first)}/s`, `${figures(last)}/s`, duration(processor)]);
}
const head = ['conversations stored', 'the first fifth', 'the last fifth', 'processor time of one'];
console.log(`## Many imports\n\n${markdownTable(head, many)}\n`);

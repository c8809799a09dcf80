import { join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { ManyCost } from './childMany.js';
import type { ReadCost } from './childRead.js';
import { makeTranscript, type TranscriptForm } from './makeTranscript.js';

const LIMIT_MS = 600_000;
const MEGABYTE = 1e6;
const SIZES = [30, 100, 300] as const;
const FORMS: readonly TranscriptForm[] = ['lines', 'one value'];
const COUNTS = [500, 2_000] as const;

async function cost<Cost>(script: string, ...args: readonly string[]): Promise<Cost> {
  const result = await runChild<Cost>(`import/${script}`, args, LIMIT_MS);
  if ('failure' in result) throw new Error(`${script}: ${result.failure} ${result.words}`);
  return result.answer;
}

const folder = temporaryFolder();
const large: string[][] = [];
for (const form of FORMS) {
  for (const size of SIZES) {
    const path = join(folder, 'transcript.json');
    makeTranscript(path, form, size * MEGABYTE);
    const { records, milliseconds, peak, bytes } = await cost<ReadCost>('childRead', path);
    const memory = `${figures(peak / MEGABYTE)} MB`;
    large.push([
      `${size} MB, ${form}`,
      figures(records),
      duration(milliseconds),
      memory,
      `${figures(peak / bytes)} ×`,
    ]);
  }
}
console.log(
  `## Large imports\n\n${markdownTable(['one file', 'records', 'read in', 'memory at most', 'of its size'], large)}\n`,
);

const many: string[][] = [];
for (const count of COUNTS) {
  const { first, last, processor } = await cost<ManyCost>('childMany', String(count));
  many.push([figures(count), `${figures(first)}/s`, `${figures(last)}/s`, duration(processor)]);
}
const head = ['conversations stored', 'the first fifth', 'the last fifth', 'processor time of one'];
console.log(`## Many imports\n\n${markdownTable(head, many)}\n`);

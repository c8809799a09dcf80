import { statSync } from 'node:fs';
import { importFile, openImport } from '../../src/import/importFile.js';
import type { ImportPart } from '../../src/import/readLarge.js';

/** The parts of reading a file, and passing its records on. */
export type Part = ImportPart | 'passing on';

/** What reading one file cost. */
export interface ReadCost {
  readonly bytes: number;
  readonly records: number;
  readonly milliseconds: number;
  /** How many of them each part of the work took; none for a file that is held as a whole. */
  readonly parts: Readonly<Partial<Record<Part, number>>>;
  /** The largest memory that the process ever held, in bytes. */
  readonly peak: number;
}

const [path = '', how = ''] = process.argv.slice(2);
const begun = performance.now();
const parts: Partial<Record<Part, number>> = {};
let part: { readonly name: Part; readonly begun: number } | undefined;
const cost: ReadCost = {
  records: how === 'all held' ? await heldRecords() : await passedRecords(),
  bytes: statSync(path).size,
  milliseconds: performance.now() - begun,
  parts,
  peak: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(cost));

/** Holds all records at once, as a program does that asks for a list; gives how many there are. */
async function heldRecords(): Promise<number> {
  const { conversations } = await importFile(path, { alone: true });
  return conversations.reduce((sum, { records }) => sum + records.length, 0);
}

/** Goes through all records once, as storing them does; gives how many there are. */
async function passedRecords(): Promise<number> {
  const opened = await openImport(path, { alone: true, onPart: begin });
  if (part) begin('passing on');
  let count = 0;
  for (const { records } of opened.conversations) for (const { seq } of records) count += seq > 0 ? 1 : 0;
  opened.close();
  if (part) begin(undefined);
  return count;
}

/** Notes that a part begins, and how long the one before it took. */
function begin(next: Part | undefined): void {
  const now = performance.now();
  if (part) parts[part.name] = now - part.begun;
  part = next && { name: next, begun: now };
}

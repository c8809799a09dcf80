import { join } from 'node:path';
import { loadLibrary } from '../harness/library.js';
import { longestStall } from '../harness/longestStall.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { MadeJournal } from './makeJournal.js';
import { readers } from './readers.js';
import { exporters } from './exporters.js';

/** What one way did in a process of its own; times in milliseconds, memory in megabytes over the start. */
export interface OpeningCost {
  readonly first: number;
  /** Processor time of all threads until the first screen; for an export, until its end. */
  readonly work: number;
  readonly all: number;
  readonly stall: number;
  readonly memory: number;
}

const [kind = '', name = '', json = ''] = process.argv.slice(2);
const journal = JSON.parse(json) as MadeJournal;
await loadLibrary();
const reader = readers[name];
await reader?.prepare?.(journal);
global.gc?.();
const memoryBefore = process.resourceUsage().maxRSS;
const start = performance.now();
const usedBefore = process.cpuUsage();
let first = NaN;
let work = NaN;
const worked = () => {
  const { user, system } = process.cpuUsage(usedBefore);
  return (user + system) / 1000;
};
const onFirstScreen = () => {
  first = performance.now() - start;
  work = worked();
};
const { milliseconds, stall } = await longestStall(async () => {
  if (kind === 'read') await reader!.read(journal, onFirstScreen);
  else await exporters[name]!(journal, join(temporaryFolder(), 'export'));
});
const memory = (process.resourceUsage().maxRSS - memoryBefore) / 1000;
if (kind === 'export') work = worked();
console.log(JSON.stringify({ first, work, all: milliseconds, stall, memory } satisfies OpeningCost));
process.exit();

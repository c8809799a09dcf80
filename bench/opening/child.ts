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
let first = NaN;
const onFirstScreen = () => (first = performance.now() - start);
const { milliseconds, stall } = await longestStall(async () => {
  if (kind === 'read') await reader!.read(journal, onFirstScreen);
  else await exporters[name]!(journal, join(temporaryFolder(), 'export'));
});
const memory = (process.resourceUsage().maxRSS - memoryBefore) / 1000;
console.log(JSON.stringify({ first, all: milliseconds, stall, memory } satisfies OpeningCost));
process.exit();

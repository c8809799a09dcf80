import type { ScanBatch } from '../../src/ports/transcript.js';
import { compileCriteria } from '../../src/query/compileCriteria.js';
import type { FilterCriteria } from '../../src/query/filterCriteria.js';
import type { MemoryTranscript } from './memoryTranscript.js';

/** Records that are looked through without a pause. */
const SLICE = 250;

/** Looks through records in memory as the store's thread looks through a journal: the same question, slice by slice. */
export async function* scanMemory(
  { records }: MemoryTranscript,
  criteria: FilterCriteria,
  signal: AbortSignal,
  from: number,
): AsyncGenerator<ScanBatch> {
  const matches = compileCriteria(criteria).scan();
  for (let start = 0; start < records.length && !signal.aborted; start += SLICE) {
    const slice = records.slice(start, start + SLICE);
    const matching = slice.flatMap((record, at) => (matches(record) ? [start + at] : []));
    const positions = Uint32Array.from(matching.filter((position) => position >= from));
    yield { positions, scanned: start + slice.length };
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

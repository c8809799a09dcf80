import { factsOf } from '../../src/query/numbers/facts.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../src/node/patterns/timeGuard.js';
import { PATTERN_TOO_SLOW } from '../../src/core/ports/patternMatcher.js';
import type { ScanBatch } from '../../src/core/ports/transcript.js';
import type { ScanQuestion } from '../../src/query/columns/scanQuestion.js';
import { StructureColumns } from '../../src/query/columns/structureColumns.js';
import { allTextOf, contentTextOf, itemTextTest } from '../../src/query/textTest.js';
import type { MemoryTranscript } from './memoryTranscript.js';

/** Records that are looked through without a pause. */
const SLICE = 250;

/** Looks through records in memory as the reader's thread looks through a transcript: the same question, slice by slice. */
export async function* scanMemory(
  { records }: MemoryTranscript,
  { structure, texts }: ScanQuestion,
  signal: AbortSignal,
  from: number,
): AsyncGenerator<ScanBatch> {
  const columns = new StructureColumns();
  for (const record of records) columns.add(factsOf(record));
  const { length } = records;
  const tests = texts.flatMap((text) => itemTextTest(text) ?? []);
  const holds = (record: unknown) =>
    tests.every((test) => test((part) => (part === 'all' ? allTextOf(record) : contentTextOf(record))));
  for (let start = 0; start < length && !signal.aborted; start += SLICE) {
    const scanned = Math.min(start + SLICE, length);
    const wanted = columns.select(structure)(start, scanned).slice();
    let positions = new Uint32Array(0);
    const look = (): void => {
      positions = wanted.filter((at) => at >= from && holds(records[at]));
    };
    if (!endsWithin(MAX_TEXT_TEST_MS, look)) throw new Error(PATTERN_TOO_SLOW);
    yield { positions, scanned };
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

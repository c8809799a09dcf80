import { compileCriteria } from '../../query/criteria.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { allTextOf, contentTextOf } from '../../query/textTest.js';
import { STUCK, STUCK_MS } from './indexed/stuckPattern.js';
import { textSearch, type TextSearch } from './indexed/textSearch.js';
import { endsWithin } from '../../node/patterns/timeGuard.js';
import { readSpans } from '../read/readSpans.js';
import { prefilterFor } from './linePrefilter.js';
import { isStopped } from './scanQuestion.js';
import { scanRecords } from './scanRecords.js';
import { wholeRecord } from './wholeRecord.js';
import type { IndexedLines } from './indexed/indexedLines.js';
import type { IndexStep } from './indexed/transcriptIndex.js';

/** How many new records are indexed before an answer; if there are more, their bytes may be searched instead. */
const CATCH_UP = 2_000;

/** The positions found in some of the records. */
export interface FoundPositions {
  /** Ascending, and all greater than those before. */
  readonly positions: Uint32Array;
  /** All positions before this one are decided. */
  readonly scanned: number;
}

/**
 * Finds where criteria hold from a position on, by the index as far as it goes. Records not indexed yet are searched as
 * bytes where that is quick, else indexed, as long as `hasRoom` says so. Ends early when `control` says so; throws an
 * error for a person where the criteria are invalid.
 */
export async function* scanIndexed(
  indexed: IndexedLines,
  criteria: FilterCriteria,
  from: number,
  control: Int32Array,
  hasRoom: () => boolean,
): AsyncGenerator<FoundPositions, void, undefined> {
  const { lines, index } = indexed;
  const compiled = compileCriteria(criteria);
  const isQuick = !compiled.needsPairing && prefilterFor(criteria, compiled) !== undefined;
  let at = from;
  const growth = indexed.grow();
  const wholeAt = async (position: number) => {
    const [record] = await readSpans(lines.paths, lines.index, position, position + 1);
    return record && (await wholeRecord(record, lines.paths));
  };
  const isCatchingUp = indexed.behind <= CATCH_UP;
  for (;;) {
    for (const step of index.find(criteria, at)) {
      const positions = await decided(step, wholeAt, criteria, control);
      if (isStopped(control)) return;
      yield { positions, scanned: step.scanned };
      at = step.scanned;
    }
    if (indexed.behind === 0 || (isQuick && !isCatchingUp) || !hasRoom()) break;
    await growth.next();
    if (isStopped(control)) break;
  }
  await growth.return();
  if (isStopped(control) || (lines.segments.length > 0 && at >= lines.index.size)) return;
  for await (const { found, scanned } of scanRecords(lines, criteria, at, control)) {
    yield { positions: Uint32Array.from(found, ({ position }) => position), scanned };
  }
}

/**
 * All positions of a step, after reading the records whose texts are not in the index by `wholeAt`. Throws where a test
 * is stuck.
 */
export async function decided(
  { positions, undecided }: IndexStep,
  wholeAt: (position: number) => Promise<ReadRecord | undefined>,
  criteria: FilterCriteria,
  control: Int32Array,
): Promise<Uint32Array> {
  if (undecided.length === 0) return positions.slice();
  const search = textSearch(criteria);
  const found = Array.from(positions);
  for (const position of undecided) {
    if (isStopped(control)) break;
    const record = await wholeAt(position);
    if (record && (!search || isAskedFor(record, search))) found.push(position);
  }
  return Uint32Array.from(found).sort();
}

/** Tests the texts of a record with a time limit here rather than by ending the thread, so that the indexes survive. */
function isAskedFor(record: ReadRecord, { test, isRisky }: TextSearch): boolean {
  const isMatch = () => test((part) => (part === 'all' ? allTextOf(record) : contentTextOf(record)));
  if (!isRisky) return isMatch();
  let isFound = false;
  const look = () => void (isFound = isMatch());
  if (!endsWithin(STUCK_MS, look)) throw new Error(STUCK);
  return isFound;
}

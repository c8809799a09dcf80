import type { Transcript } from '../../ports/transcript.js';
import type { Criteria } from '../../protocol/criteria.js';
import { ToolNames } from '../../query/toolNames.js';
import type { ScanBatch } from '../ports.js';
import { recordMatcher } from '../filter/recordMatcher.js';

/** Records that are looked through without a pause. */
const SLICE = 250;
/** How many calls without a result are remembered. */
const OPEN_CALLS = 10_000;

/**
 * Looks through any transcript slice by slice. What lies in files of their own is not looked at. Where a scanner
 * off the thread is at hand, that is the better one; this one serves transcripts that have none.
 */
export async function* scanTranscript(
  transcript: Transcript,
  criteria: Criteria,
  signal: AbortSignal,
  from = 0,
): AsyncGenerator<ScanBatch> {
  const matches = recordMatcher(criteria);
  const names = new ToolNames(OPEN_CALLS);
  for (let at = from; at < transcript.length && !signal.aborted;) {
    const records = await transcript.read(at, at + SLICE);
    if (records.length === 0) return;
    const positions: number[] = [];
    records.forEach((record, offset) => {
      if (matches(record, names.next(record))) positions.push(at + offset);
    });
    at += records.length;
    yield { positions: Uint32Array.from(positions), scanned: at };
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { restoreTexts } from './restoreTexts.js';

/** How many records are read at once. */
const PAGE = 500;

/**
 * The records of a transcript, or those at `positions`, in order, with spilled texts restored. Reads page by page, one
 * page ahead; ends early when the signal is aborted.
 */
export async function* wholeRecords(
  transcript: Transcript,
  positions?: readonly number[],
  signal?: AbortSignal,
): AsyncGenerator<ReadRecord, void, undefined> {
  const wanted = positions && new Set(positions);
  const end = positions ? (positions.at(-1) ?? -1) + 1 : transcript.length;
  const first = positions?.[0] ?? 0;
  let reading = readPage(transcript, first, end);
  for (let start = first; start < end; start += PAGE) {
    const page = await reading;
    if (signal?.aborted === true) return;
    reading = readPage(transcript, start + PAGE, end);
    for (const [at, record] of page.entries()) {
      if (wanted && !wanted.has(start + at)) continue;
      yield (await restoreTexts(record, transcript)).record;
    }
  }
}

/** The page at `start`; its promise may be abandoned without an unhandled rejection. */
function readPage(transcript: Transcript, start: number, end: number): Promise<readonly ReadRecord[]> {
  if (start >= end) return Promise.resolve([]);
  const page = transcript.read(start, Math.min(start + PAGE, end));
  page.catch(() => undefined);
  return page;
}

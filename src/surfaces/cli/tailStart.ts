import type { Transcript } from '../../core/ports/transcript.js';

/** How often a session that is followed is looked at, in milliseconds. */
export const TAIL_POLL_MS = 500;

/** How many records are read at once. */
export const PAGE = 200;

/** The position from which on a transcript has so many messages. */
export async function startOf(transcript: Transcript, last: number): Promise<number> {
  let left = last;
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const records = await transcript.read(from, end);
    for (let at = records.length - 1; at >= 0; at--) {
      if (left === 0) return from + at + 1;
      if (records[at]?.type === 'message') left--;
    }
  }
  return 0;
}

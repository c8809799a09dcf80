import { isObject } from '../core/message.js';
import { firstCodePoints } from '../core/text.js';
import type { NearRecord, SessionLocation } from '../page/protocol/search.js';
import { shownTextOf } from '../query/restOfText.js';
import { knownTime } from '../query/numbers/values.js';
import { QueriedTranscript, MAX_PATTERN_MS } from './sessions/queriedTranscript.js';
import type { SessionSource } from './sessions/session.js';

/** How much of a record is told, in code points. */
const MAX_TEXT = 4_000;
/** How many records before and after one are told at most. */
const MAX_AROUND = 50;

/**
 * The records around a position of a session, that one included. Rejects with an error for a person where the session is
 * not there or cannot be read.
 */
export async function recordsNear(
  source: Pick<SessionSource, 'transcript'>,
  location: SessionLocation,
  position: number,
  around: number,
): Promise<readonly NearRecord[]> {
  const transcript = await source.transcript(location);
  try {
    const reach = Math.min(around, MAX_AROUND);
    const from = Math.max(0, position - reach);
    const to = Math.min(transcript.length, position + reach + 1);
    const positions = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
    const items = await new QueriedTranscript(() => transcript, MAX_PATTERN_MS, undefined).itemsAt(positions);
    return [...items].map(([at, record]) => {
      const message: unknown = record.type === 'message' ? record.message : undefined;
      const role = isObject(message) && typeof message.role === 'string' ? message.role : record.type;
      const time = knownTime(record.time);
      const all = shownTextOf(record);
      const text = firstCodePoints(all, MAX_TEXT);
      return {
        position: at,
        role,
        text,
        isCut: text.length < all.length,
        ...(time !== undefined && { time }),
        ...(record.agent !== '' && { agent: record.agent }),
      };
    });
  } finally {
    await transcript.close();
  }
}

import { textHash } from '../../query/numbers/argumentHash.js';
import { BYTE, OTHER, type JsonCursor } from './jsonCursor.js';

/** What stands in the source of a message that stands for a compaction, see `compactionMessage`; or in an escape. */
const COMPACTS = ['isCompactSummary', '"summary"', '"context_management"', '\\u'].map((sign) =>
  Buffer.from(sign),
);

/**
 * Goes past what the source of a message said besides; gives `Facts#sourceId`. Throws `OTHER` for the few that stand for a
 * compaction, which are parsed.
 */
export function scanSource(line: JsonCursor): number {
  const start = line.at;
  const id = line.code() === BYTE.open ? scanSourceId(line) : '';
  if (line.at === start) line.skip();
  const source = line.bytes.subarray(start, line.at);
  if (COMPACTS.some((sign) => source.includes(sign))) throw OTHER;
  return id === '' ? 0 : textHash(id);
}

/** See `sourceIdOf`. */
function scanSourceId(line: JsonCursor): string {
  let [uuid, id] = ['', ''];
  line.byte(BYTE.open);
  for (let isFirst = true; line.nextKey(isFirst); isFirst = false) {
    const key = line.key();
    const isId = key === 'uuid' || key === 'id';
    const text = isId && line.code() === BYTE.quote ? line.idOr('') : '';
    if (isId && text === '') throw OTHER;
    if (key === 'uuid') uuid = text;
    else if (isId) id = text;
    else line.skip();
  }
  return uuid || id;
}

import { roleOf } from '../query/numbers/transcriptItem.js';
import type { ExportRow } from './exportRow.js';
import { freeKey, timestampOf } from './metadata.js';

/** A copy of a message with its metadata under one more key. */
export type MessageDict = Record<string, unknown>;

/** The object for one row, with its metadata under `key`, or under another key where the message uses that itself. */
export function dictOf(row: ExportRow, key: string): MessageDict {
  const { message, place, index } = row;
  return {
    ...message,
    [freeKey(message, key)]: {
      index,
      token_count: row.tokens ?? 0,
      role: roleOf(message),
      ...(place.time !== undefined && { timestamp: timestampOf(place.time) }),
      ...(place.agent !== undefined && { agent: place.agent }),
      ...(row.notes.length > 0 && { notes: row.notes }),
    },
  };
}

import { roleOf } from '../query/queryItem.js';
import type { ExportRow } from './exportRow.js';
import { freeKey, timestampOf } from './metadata.js';

/** A message as an object with its metadata beside its own fields; the message itself stays untouched. */
export type MessageDict = Record<string, unknown>;

/** The object of one row, its metadata under `key`, or another where the message has such a key itself. */
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
    },
  };
}

/** The key for a message's metadata, unless the message has such a key itself. */
export const METADATA = '_metadata';

/** The key otherwise, as in the reference implementation. */
const OTHER_METADATA = '_export_metadata';

/** `wanted`, or another key where the message has that one. */
export function freeKey(message: object, wanted: string): string {
  let key = wanted;
  if (Object.hasOwn(message, key)) key = OTHER_METADATA;
  while (Object.hasOwn(message, key)) key = `_${key}`;
  return key;
}

/** The one of the two keys that no message of a list has itself; the second where both occur. */
export function commonKey(messages: readonly object[]): string {
  return messages.some((message) => Object.hasOwn(message, METADATA)) ? OTHER_METADATA : METADATA;
}

/** A time in milliseconds since 1970 as people read it, to the second: `2026-11-21 09:30:15`; '' where there is none. */
export function timeWords(time: unknown): string {
  const stamp = typeof time === 'number' && time > 0 ? timestampOf(time) : null;
  return stamp === null ? '' : stamp.slice(0, 19).replace('T', ' ');
}

/** A time in milliseconds since 1970 as ISO 8601; null where a date cannot represent it. */
export function timestampOf(time: number): string | null {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : null;
}

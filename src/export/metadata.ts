/** Where the metadata of a message go, as long as the message has no such key itself. */
export const METADATA = '_metadata';

/** Where they go otherwise, in the reference implementation too. */
const OTHER_METADATA = '_export_metadata';

/** `wanted`, or another key that this message does not use itself. */
export function freeKey(message: object, wanted: string): string {
  let key = wanted;
  if (Object.hasOwn(message, key)) key = OTHER_METADATA;
  while (Object.hasOwn(message, key)) key = `_${key}`;
  return key;
}

/** The key under which metadata collide with no message of a list, as far as the two usual keys go. */
export function commonKey(messages: readonly object[]): string {
  return messages.some((message) => Object.hasOwn(message, METADATA)) ? OTHER_METADATA : METADATA;
}

/** A time as ISO 8601; null where a number is no time. */
export function timestampOf(time: number): string | null {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : null;
}

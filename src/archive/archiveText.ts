import { createHash } from 'node:crypto';

/** A longer key would not fit into the indexes of every engine, in UTF-16 code units. */
const MAX_KEY = 300;
/** What is longer, in UTF-16 code units, is cut in columns; the line has it whole. */
const MAX_COLUMN = 1_000;
/** What separates the names in a list on its way to the server. */
export const SEPARATOR = '\u001f';

/** The key of a conversation: its id where a database can hold that as a key, else a hash of it; never the same for two ids. */
export function archiveKey(id: string): string {
  if (id.length > 0 && id.length <= MAX_KEY && !id.startsWith('~') && !/[\0\p{Surrogate}]/u.test(id))
    return id;
  return `~${createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex')}`;
}

/** A text as a column holds it: short, and without what databases refuse or change (NUL, halves of characters, the separator). */
export function columnText(text: string): string {
  return text.slice(0, MAX_COLUMN).replace(/[\0\u001f\p{Surrogate}]/gu, '\ufffd');
}

/** The same of what may be missing, or no text at all in a hostile record. */
export function columnTextOr(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? columnText(value) : null;
}

/** A number as a column holds it; null for what is none. */
export function columnNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Names on their way to the server, which takes them apart again; null for none. */
export function columnList(names: Iterable<string>): string | null {
  const list = [...names].map(columnText);
  return list.length === 0 ? null : list.join(SEPARATOR);
}

/** Names as they are compared where letter case does not matter. */
export function foldedName(name: string): string {
  return columnText(name.toLowerCase());
}

/** How a SQLite database begins, according to its file format. */
const MARK = Buffer.from('SQLite format 3\0');

/** How many of its first bytes tell a database. */
export const MARK_BYTES = MARK.length;

/** Whether bytes begin as a SQLite database does. */
export function beginsAsDatabase(bytes: Uint8Array): boolean {
  return MARK.every((byte, at) => bytes[at] === byte);
}

import { createHash } from 'node:crypto';

const LENGTH = 9;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The id of a tool call as the strictest endpoint takes it: nine letters and digits, the same for the same id. */
export function plainId(id: string): string {
  if (id.length === LENGTH && /^[a-zA-Z0-9]+$/.test(id)) return id;
  const bytes = createHash('sha256').update(id).digest().subarray(0, LENGTH);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}

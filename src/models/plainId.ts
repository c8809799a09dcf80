import { createHash } from 'node:crypto';

const LENGTH = 9;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** A tool call id that the strictest endpoint accepts: nine letters and digits, always the same for the same id. */
export function plainId(id: string): string {
  if (id.length === LENGTH && /^[a-zA-Z0-9]+$/.test(id)) return id;
  const bytes = createHash('sha256').update(id).digest().subarray(0, LENGTH);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}

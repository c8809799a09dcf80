import { createHash } from 'node:crypto';

/** A UUID that is made of a name, the same one each time (RFC 9562, version 8). */
export function derivedUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  const variant = ((parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-');
}

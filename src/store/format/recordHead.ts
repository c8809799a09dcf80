import { hashOfBytes, hashOfText, type IdHash } from './idHash.js';
import { parseLine } from './lineFormat.js';

/** What the index needs of a record. */
export interface RecordHead {
  readonly seq: number;
  readonly id: IdHash;
}

const SEQ = Buffer.from('{"seq":');
const ID = Buffer.from(',"id":"');

/**
 * Reads seq and id from the first bytes of a line that starts as every line of ours does;
 * undefined where it starts differently.
 */
export function readHead(line: Buffer): RecordHead | undefined {
  if (!startsWith(line, 0, SEQ)) return undefined;
  let at = SEQ.length;
  let seq = 0;
  for (; at < line.length; at++) {
    const digit = (line[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    seq = seq * 10 + digit;
  }
  if (at === SEQ.length || !Number.isSafeInteger(seq) || !startsWith(line, at, ID)) return undefined;
  const start = at + ID.length;
  for (let end = start; end < line.length; end++) {
    const byte = line[end];
    if (byte === 0x22) return end > start ? { seq, id: hashOfBytes(line, start, end) } : undefined;
    if (byte === 0x5c) return undefined;
  }
  return undefined;
}

/**
 * The head of a record whose line another program wrote, or why the line has none.
 * A record without an id gets one from its place, so that it is not taken for a duplicate.
 */
export function parseHead(line: Buffer, offset: number): RecordHead | { readonly why: string } {
  const parsed = parseLine(line);
  if ('why' in parsed) return parsed;
  const { seq, id, type } = parsed.value;
  if (typeof type !== 'string') return { why: 'no record: it has no type' };
  return {
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0,
    id: hashOfText(typeof id === 'string' && id !== '' ? id : `line at ${offset}`),
  };
}

function startsWith(line: Buffer, at: number, what: Buffer): boolean {
  for (let index = 0; index < what.length; index++) {
    if (line[at + index] !== what[index]) return false;
  }
  return true;
}

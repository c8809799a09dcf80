import { crc32 } from 'node:zlib';
import { depthOf, MAX_DEPTH, nestsDeeper } from './jsonDepth.js';
import { isObject } from '../../core/message.js';

/** The longest line that is loaded, in bytes; longer ones are shown as too large. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line ends in `,"crc":"89abcdef"}`: the CRC-32 of all bytes before it. */
const TAIL_BYTES = 18;
const CRC_DIGITS = 8;
const TAIL_BEGIN = Buffer.from(',"crc":"');
const TAIL_END = Buffer.from('"}');

/** The state of a line's checksum; `absent` on lines that another program wrote. */
export type Check = 'right' | 'wrong' | 'absent';

/** Encodes a value with at least one key as a line, without its newline. Throws where JSON cannot express it. */
export function encodeLine(value: object): Buffer {
  return lineOfJson(JSON.stringify(value));
}

/** The same of the JSON of such a value. */
export function lineOfJson(json: string): Buffer {
  const line = Buffer.allocUnsafe(Buffer.byteLength(json) + TAIL_BYTES - 1);
  return line.subarray(0, writeLine(line, json, 0));
}

/** Writes the JSON of an object as a line into `target` at `at`, which must have room for it; gives its end. */
export function writeLine(target: Buffer, json: string, at: number): number {
  // The tail replaces the closing brace.
  const tail = at + target.write(json, at) - 1;
  const crc = crc32(target.subarray(at, tail)).toString(16).padStart(8, '0');
  return tail + target.write(`,"crc":"${crc}"}`, tail, 'latin1');
}

/** An upper bound of the bytes that `writeLine` needs. */
export function roomFor(json: string): number {
  return 3 * json.length + TAIL_BYTES;
}

/** Checks the bytes of a line, without its newline, against its checksum. */
export function checkLine(line: Buffer): Check {
  const tail = line.length - TAIL_BYTES;
  const end = line.length - TAIL_END.length;
  if (tail < 1 || !standsAt(line, tail, TAIL_BEGIN) || !standsAt(line, end, TAIL_END)) return 'absent';
  const expected = digitsAt(line, end - CRC_DIGITS);
  if (expected < 0) return 'absent';
  return crc32(line.subarray(0, tail)) === expected ? 'right' : 'wrong';
}

/** Whether the line from `from` up to, not including, `to` ends in a checksum, right or wrong. */
export function carriesChecksum(bytes: Buffer, from: number, to: number): boolean {
  return (
    to - from > TAIL_BYTES &&
    standsAt(bytes, to - TAIL_BYTES, TAIL_BEGIN) &&
    standsAt(bytes, to - 2, TAIL_END)
  );
}

/**
 * A number that differs, but for one case in four thousand million, where two lines of the same length differ: the
 * checksum that the line carries, or that of the whole line where it carries none.
 */
export function fingerprintOf(line: Buffer, check: Check): number {
  return check === 'right' ? carriedChecksum(line) : crc32(line);
}

/** The checksum at the end of a line that carries one. */
export function carriedChecksum(line: Buffer): number {
  return digitsAt(line, line.length - TAIL_END.length - CRC_DIGITS);
}

function standsAt(line: Buffer, at: number, what: Buffer): boolean {
  for (let index = 0; index < what.length; index++) {
    if (line[at + index] !== what[index]) return false;
  }
  return true;
}

/** The number that the digits of a checksum are; -1 where one of them is none. */
function digitsAt(line: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < from + CRC_DIGITS; at++) {
    const digit = hexDigit(line[at] ?? 0);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of a lower-case hexadecimal digit in ASCII; -1 for every other byte. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}

/** The line without the byte order mark that some editors put before a file's first line, and joining files before others. */
export function withoutMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

/** The line without the carriage return that editors and git may leave at its end. */
export function withoutReturn(line: Buffer): Buffer {
  return line[line.length - 1] === 0x0d ? line.subarray(0, -1) : line;
}

/** Whether a line holds nothing but blanks. */
export function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Larger lines are scanned for their depth before parsing, because nested values take many times their bytes. */
const MAX_UNSEEN_BYTES = 1024 * 1024;

/** The object on a line, or why there is none. */
export type ParsedLine = { readonly value: Readonly<Record<string, unknown>> } | { readonly why: string };

/** Parses the object on a line, without its checksum, or tells why there is none. Never throws. */
export function parseLine(line: Buffer): ParsedLine {
  if (line.length > MAX_LINE_BYTES) return { why: `larger than ${MAX_LINE_BYTES} bytes` };
  const isLarge = line.length > MAX_UNSEEN_BYTES;
  if (isLarge && depthOf(line) > MAX_DEPTH) return { why: TOO_DEEP };
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    if (!isLarge && depthOf(line) > MAX_DEPTH) return { why: TOO_DEEP };
    return { why: line.includes(0) ? 'no JSON: it holds NUL bytes' : 'no JSON' };
  }
  if (!isLarge && nestsDeeper(value, MAX_DEPTH)) return { why: TOO_DEEP };
  if (!isObject(value)) return { why: 'no JSON object' };
  // Deleting the last key of an object is cheap; a copy without it would double the cost of reading.
  delete (value as { crc?: unknown }).crc;
  return { value };
}

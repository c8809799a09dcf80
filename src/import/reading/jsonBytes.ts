import { appendAll } from '../../core/lists.js';
import { jsonValue } from './jsonText.js';
import { MAX_NESTING } from './nesting.js';

/** How large a part of a document is parsed at once, in bytes: no text longer than that is made of it. */
const PIECE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * The value of a JSON document, parsed piece by piece: only the value itself is held beside the bytes, not the document
 * as a text. Throws a SyntaxError where it is not one JSON value.
 */
export function parseJsonBytes(bytes: Uint8Array, pieceBytes = PIECE_BYTES): unknown {
  const [start, end] = trimmed(bytes, 0, bytes.length);
  return parseRange(bytes, start, end, pieceBytes);
}

/** Whether the JSON in bytes nests deeper than `limit`; scans without parsing. */
export function bytesNestDeeper(bytes: Uint8Array, limit = MAX_NESTING): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at, bytes.length);
    else if (isOpening(byte) && ++depth > limit) return true;
    else if (isClosing(byte)) depth--;
  }
  return false;
}

/** How many lists and objects are open at the end of some bytes of JSON. */
export function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at, bytes.length);
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte)) depth--;
  }
  return depth;
}

/** The end (exclusive) of the object or list that begins at `start`; undefined where it does not end. */
export function valueEnd(bytes: Uint8Array, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at, bytes.length);
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte) && --depth <= 0) return at + 1;
  }
  return undefined;
}

function parseRange(bytes: Uint8Array, start: number, end: number, pieceBytes: number): unknown {
  const isList = bytes[start] === 0x5b;
  const isContainer = isList || bytes[start] === 0x7b;
  if (end - start <= pieceBytes || !isContainer) return parseText(textOf(bytes, start, end));
  if (bytes[end - 1] !== (isList ? 0x5d : 0x7d)) throw new SyntaxError('A list or an object does not end.');
  return isList
    ? parseList(bytes, start + 1, end - 1, pieceBytes)
    : parseObject(bytes, start + 1, end - 1, pieceBytes);
}

function parseList(bytes: Uint8Array, start: number, end: number, pieceBytes: number): unknown[] {
  const list: unknown[] = [];
  for (const [from, to] of groups(bytes, start, end, pieceBytes)) {
    if (to - from > pieceBytes) list.push(parseRange(bytes, from, to, pieceBytes));
    else appendAll(list, parseText(`[${textOf(bytes, from, to)}]`) as unknown[]);
  }
  return list;
}

function parseObject(bytes: Uint8Array, start: number, end: number, pieceBytes: number): object {
  const object: Record<string, unknown> = {};
  for (const [from, to] of groups(bytes, start, end, pieceBytes)) {
    const members =
      to - from > pieceBytes
        ? [largeMember(bytes, from, to, pieceBytes)]
        : Object.entries(parseText(`{${textOf(bytes, from, to)}}`) as object);
    // By definition, because a key may be `__proto__`.
    for (const [key, value] of members)
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

function largeMember(bytes: Uint8Array, from: number, to: number, pieceBytes: number): [string, unknown] {
  const keyEnd = stringEnd(bytes, from, to) + 1;
  const key = parseText(textOf(bytes, from, keyEnd));
  const [colon] = trimmed(bytes, keyEnd, to);
  if (typeof key !== 'string' || bytes[colon] !== COLON) throw new SyntaxError('A member has no key.');
  const [start, end] = trimmed(bytes, colon + 1, to);
  return [key, parseRange(bytes, start, end, pieceBytes)];
}

/** The members of a container, neighbours together as long as they are one piece. */
function* groups(
  bytes: Uint8Array,
  start: number,
  end: number,
  pieceBytes: number,
): Generator<readonly [from: number, to: number]> {
  let from: number | undefined;
  let to = start;
  for (const [memberStart, memberEnd] of members(bytes, start, end)) {
    if (from !== undefined && memberEnd - from > pieceBytes) {
      yield [from, to];
      from = undefined;
    }
    from ??= memberStart;
    to = memberEnd;
  }
  if (from !== undefined) yield [from, to];
}

function* members(
  bytes: Uint8Array,
  start: number,
  end: number,
): Generator<readonly [from: number, to: number]> {
  let depth = 0;
  let from = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at, end);
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte)) depth--;
    else if (byte === COMMA && depth === 0) {
      yield filled(bytes, from, at);
      from = at + 1;
    }
  }
  const [first, last] = trimmed(bytes, from, end);
  if (first < last || from > start) yield filled(bytes, from, end);
}

function filled(bytes: Uint8Array, from: number, to: number): readonly [from: number, to: number] {
  const range = trimmed(bytes, from, to);
  if (range[0] >= range[1]) throw new SyntaxError('Between two commas stands nothing.');
  return range;
}

/** The position of the quote that ends a string; `end` where there is none. */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0 && at < end; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return end;
}

/** A range without the white space and the NUL bytes around it; disks leave NUL bytes where a write was cut off. */
function trimmed(bytes: Uint8Array, start: number, end: number): readonly [start: number, end: number] {
  let [from, to] = [start, end];
  while (from < to && isSpace(bytes[from])) from++;
  while (to > from && isSpace(bytes[to - 1])) to--;
  return [from, to];
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0;
}

function isOpening(byte: number | undefined): boolean {
  return byte === 0x5b || byte === 0x7b;
}

function isClosing(byte: number | undefined): boolean {
  return byte === 0x5d || byte === 0x7d;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
}

function parseText(text: string): unknown {
  return jsonValue(text);
}

import { isAscii } from 'node:buffer';
import { MAX_DEPTH } from './jsonDepth.js';

/** The bytes that JSON is made of. */
export const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  open: 0x7b,
  close: 0x7d,
  openList: 0x5b,
  closeList: 0x5d,
} as const;

const ZERO = 0x30;
const NINE = 0x39;
const SMALL_U = 0x75;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** The letters of the escapes of tab, line breaks and form feed. */
const BLANK_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('tnrf'));
const NULL = Buffer.from('null');

/** How many names of models, tools and the like are kept once; a hostile transcript may have any number. */
const NAMES = 4_096;
/** How many bytes of a string are looked at one by one before its end is searched for: a call costs more than they do. */
const SHORT = 48;

interface KnownName {
  readonly bytes: Buffer;
  readonly length: number;
  readonly name: string;
}

/** Thrown where something is not written as it is expected; always the same, because it may be thrown for every line. */
export const OTHER = new Error('a line of another shape');

/**
 * Goes along the JSON of a line, byte by byte, without parsing it. Each method throws `OTHER` where something else stands
 * there than it expects. Only for lines that are known to be JSON: not everything in them is looked at.
 */
export class JsonCursor {
  /** The bytes that the line is in. */
  bytes: Buffer = Buffer.alloc(0);
  /** The next byte, and the end of the line. */
  at = 0;
  end = 0;
  /** The characters of the string that was read last, between its quotes. */
  from = 0;
  to = 0;
  readonly #names: (KnownName | undefined)[] = Array.from({ length: NAMES });
  /** The first backslash at or after a place that was asked for; searched once, not for each text without any. */
  #backslash = 0;
  /** Whether all of the bytes are ASCII; else whether the line is, undefined before somebody asks. */
  #areAllAscii = true;
  #isLineAscii: boolean | undefined;
  #lineFrom = 0;

  /** Goes to the line from `from` up to, not including, `to`. */
  begin(bytes: Buffer, from: number, to: number): this {
    if (bytes !== this.bytes) {
      this.#areAllAscii = isAscii(bytes);
      this.#backslash = 0;
    } else if (from < this.at) this.#backslash = 0;
    this.#isLineAscii = this.#areAllAscii ? true : undefined;
    this.bytes = bytes;
    this.at = this.#lineFrom = from;
    this.end = to;
    return this;
  }

  get #isAscii(): boolean {
    return (this.#isLineAscii ??= isAscii(this.bytes.subarray(this.#lineFrom, this.end)));
  }

  /** Goes to the next key of an object and past its quote; false at the end of the object, which it goes past. */
  nextKey(isFirst = false): boolean {
    const code = this.code();
    if (code === BYTE.close) {
      this.at++;
      return false;
    }
    if (!isFirst) this.byte(BYTE.comma);
    this.byte(BYTE.quote);
    return true;
  }

  /** The key that begins here; goes to its value. Throws where a key of the header comes a second time. */
  key(): string {
    this.string();
    const key = this.name();
    this.byte(BYTE.colon);
    return key;
  }

  /** Skips the key that begins here, behind its quote, and its value. */
  skipPair(): void {
    this.string();
    this.byte(BYTE.colon);
    this.skip();
  }

  /** Skips a value; `depth`: how many levels are around it. */
  skip(depth = 0): void {
    switch (this.code()) {
      case BYTE.quote:
        this.at++;
        this.string();
        return;
      case BYTE.open:
        this.#skipInside(depth, BYTE.close);
        return;
      case BYTE.openList:
        this.#skipInside(depth, BYTE.closeList);
        return;
      default:
        while (!isEnd(this.code())) this.at++;
    }
  }

  /** The value that begins at `start`, by default here, parsed; goes past it. */
  value(start = this.at): unknown {
    this.at = start;
    this.skip();
    return JSON.parse(this.bytes.toString('utf8', start, this.at));
  }

  #skipInside(depth: number, close: number): void {
    // Half of what may stand in a record: around it there are more levels.
    if (depth > MAX_DEPTH / 2) throw OTHER;
    this.at++;
    if (this.code() === close) {
      this.at++;
      return;
    }
    for (;;) {
      if (close === BYTE.close) {
        this.byte(BYTE.quote);
        this.string();
        this.byte(BYTE.colon);
      }
      this.skip(depth + 1);
      const code = this.code();
      this.at++;
      if (code === close) return;
      if (code !== BYTE.comma) throw OTHER;
    }
  }

  /** A number that can be counted with; any other value is for the reader of records to judge. */
  duration(): number {
    const start = this.at;
    const whole = this.digitsOr();
    if (whole >= 0 && isEnd(this.code())) return whole;
    while (!isEnd(this.code())) this.at++;
    const value = this.bytes.toString('latin1', start, this.at);
    if (!/^(?:0|[1-9]\d{0,14})(?:\.\d{1,20})?$/.test(value)) throw OTHER;
    return Number(value);
  }

  /** A whole number that is exact. */
  digits(): number {
    const value = this.digitsOr();
    if (value < 0) throw OTHER;
    return value;
  }

  /** A whole number; -1 where there is none, or one with more digits than are exact. */
  digitsOr(): number {
    const start = this.at;
    let value = 0;
    for (; ; this.at++) {
      const code = this.code();
      if (code < ZERO || code > NINE) break;
      value = value * 10 + code - ZERO;
    }
    const digits = this.at - start;
    const isPlain = digits === 1 || this.bytes[start] !== ZERO;
    return digits > 0 && digits <= 15 && isPlain ? value : -1;
  }

  /** Whether a null stands here; goes past it. */
  isNull(): boolean {
    return this.goPast(NULL);
  }

  /** The value as a name, see `#name`; `otherwise` where it is null. */
  nameOr<T>(otherwise: T): string | T {
    if (this.isNull()) return otherwise;
    this.byte(BYTE.quote);
    this.string();
    return this.name();
  }

  /** The value as an id, in memory of its own; `otherwise` where it is null. */
  idOr(otherwise: string): string {
    if (this.isNull()) return otherwise;
    this.byte(BYTE.quote);
    this.string();
    return this.own();
  }

  /** Goes past a text, whose length is then known; false for null. A list of parts is parsed. */
  textOr(): boolean {
    if (this.isNull()) return false;
    this.byte(BYTE.quote);
    this.string();
    return true;
  }

  /** Goes past the string that begins here, behind its quote. */
  string(): void {
    const bytes = this.bytes;
    const from = this.at;
    const near = Math.min(from + SHORT, this.end);
    let end = from;
    while (end < near && bytes[end] !== BYTE.quote) end++;
    if (end === near) end = bytes.indexOf(BYTE.quote, end);
    while (end > from && bytes[end - 1] === BACKSLASH && isEscaped(bytes, from, end))
      end = bytes.indexOf(BYTE.quote, end + 1);
    if (end < 0 || end >= this.end) throw OTHER;
    this.from = from;
    this.to = end;
    this.at = end + 1;
  }

  /** How many UTF-16 code units the string has that was read last. */
  length(): number {
    const { bytes, from, to } = this;
    let less = 0;
    for (let at = this.#backslashFrom(from); at < to;) {
      const taken = bytes[at + 1] === SMALL_U ? 6 : 2;
      less += taken - 1;
      at = bytes[at + taken] === BACKSLASH ? at + taken : this.#backslashFrom(at + taken);
    }
    const units = this.#isAscii ? to - from : bytes.toString('utf8', from, to).length;
    return units - less;
  }

  /** Whether the string that was read last is of ASCII alone, none of it escaped by a number. */
  isAllAscii(): boolean {
    const { bytes, from, to } = this;
    if (!this.#isAscii && !isAscii(bytes.subarray(from, to))) return false;
    for (let at = this.#backslashFrom(from); at < to; at = this.#backslashFrom(at + 2))
      if (bytes[at + 1] === SMALL_U) return false;
    return true;
  }

  #backslashFrom(at: number): number {
    if (this.#backslash < at) {
      const found = this.bytes.indexOf(BACKSLASH, at);
      this.#backslash = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#backslash;
  }

  /** Whether the string that was read last has anything but blanks. */
  hasWord(): boolean {
    for (let at = this.from; at < this.to;) {
      const code = this.bytes[at] ?? 0;
      if (code > SPACE && code < 0x80 && code !== BACKSLASH) return true;
      const taken = code === SPACE ? 1 : code < 0x80 ? this.#blankEscape(at) : this.#blankCharacter(at);
      if (taken === 0) return true;
      at += taken;
    }
    return false;
  }

  /** How many bytes a character beyond ASCII takes that is a blank; 0 for any other. */
  #blankCharacter(at: number): number {
    const [character = ''] = this.bytes.toString('utf8', at, at + 4);
    return character.trim() === '' ? Buffer.byteLength(character) : 0;
  }

  /** How many bytes an escape takes that stands for a blank; 0 where it stands for anything else. */
  #blankEscape(at: number): number {
    const letter = this.bytes[at + 1] ?? 0;
    if (letter !== SMALL_U) return BLANK_ESCAPES.has(letter) ? 2 : 0;
    const unit = Number.parseInt(this.bytes.toString('latin1', at + 2, at + 6), 16);
    return String.fromCharCode(unit).trim() === '' ? 6 : 0;
  }

  /** The string that was read last, as one of the few names that occur again and again. */
  name(): string {
    return this.nameIn(this.from, this.to);
  }

  /** The characters of a string from `from` up to, not including, `to` as such a name. */
  nameIn(from: number, to: number): string {
    const bytes = this.bytes;
    const length = to - from;
    const ends = (bytes[from] ?? 0) + 31 * (bytes[to - 1] ?? 0) + 97 * (bytes[(from + to) >>> 1] ?? 0);
    const slot = (ends + 1_031 * length) & (NAMES - 1);
    const known = this.#names[slot];
    if (known?.length === length && isSame(bytes, from, known.bytes)) return known.name;
    const name = this.#ownIn(from, to);
    if (length <= SHORT) this.#names[slot] = { bytes: Buffer.from(bytes.subarray(from, to)), length, name };
    return name;
  }

  /** The string that was read last, in memory of its own: a slice would keep all of the text around it. */
  own(): string {
    return this.#ownIn(this.from, this.to);
  }

  #ownIn(from: number, to: number): string {
    const own = this.bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, to);
    return own.includes('\\') ? (JSON.parse(`"${own}"`) as string) : own;
  }

  /** Whether the string that was read last is of printable ASCII and stands there as it is. */
  isPlain(): boolean {
    for (let at = this.from; at < this.to; at++) {
      const code = this.bytes[at] ?? 0;
      if (code < 0x20 || code > 0x7e || code === BACKSLASH) return false;
    }
    return true;
  }

  /** The next byte. */
  code(): number {
    if (this.at >= this.end) throw OTHER;
    return this.bytes[this.at] ?? 0;
  }

  /** Goes past a byte. */
  byte(code: number): void {
    if (this.code() !== code) throw OTHER;
    this.at++;
  }

  /** Whether these bytes stand here. */
  isAt(what: Buffer): boolean {
    return isSame(this.bytes, this.at, what);
  }

  /** Goes past these bytes if they stand here. */
  goPast(what: Buffer): boolean {
    if (!this.isAt(what)) return false;
    this.at += what.length;
    return true;
  }

  /** Goes past these bytes. */
  expect(what: Buffer): void {
    if (!this.goPast(what)) throw OTHER;
  }
}

function isSame(bytes: Buffer, at: number, what: Buffer): boolean {
  for (let index = 0; index < what.length; index++) if (bytes[at + index] !== what[index]) return false;
  return true;
}

/** Whether a quote is escaped: an odd number of backslashes stands before it. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let at = quote - 1;
  while (at >= from && bytes[at] === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}

function isEnd(code: number): boolean {
  return code === BYTE.comma || code === BYTE.close || code === BYTE.closeList;
}

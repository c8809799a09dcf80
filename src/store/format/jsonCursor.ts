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
const NULL = Buffer.from('null');

/** How many names of models, tools and the like are kept once; a hostile transcript may have any number. */
const NAMES = 4_096;
/** How many bytes of a string are looked at one by one before its end is searched for: a call costs more than they do. */
const SHORT = 48;

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
  readonly #names: ({ readonly bytes: Buffer; readonly name: string } | undefined)[] = [];
  /** The first backslash at or after a place that was asked for; searched once, not for each text without any. */
  #backslash = 0;
  #isAscii = true;

  /** Goes to the line from `from` up to, not including, `to`. */
  begin(bytes: Buffer, from: number, to: number): void {
    if (bytes !== this.bytes || from < this.at) this.#backslash = 0;
    this.bytes = bytes;
    this.at = from;
    this.end = to;
    this.#isAscii = isAscii(bytes.subarray(from, to));
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

  /** The length of a text; 0 for null. A list of parts is parsed. */
  lengthOr(): number {
    if (this.isNull()) return 0;
    this.byte(BYTE.quote);
    this.string();
    return this.length();
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
    const [bytes, from, to] = [this.bytes, this.from, this.to];
    let less = 0;
    for (let at = this.#backslashFrom(from); at < to;) {
      const taken = bytes[at + 1] === SMALL_U ? 6 : 2;
      less += taken - 1;
      at = bytes[at + taken] === BACKSLASH ? at + taken : this.#backslashFrom(at + taken);
    }
    const units = this.#isAscii ? to - from : bytes.toString('utf8', from, to).length;
    return units - less;
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
    const first = this.bytes[this.from] ?? 0;
    if (first > 0x20 && first < 0x7f && first !== BACKSLASH) return true;
    return this.decoded().trim() !== '';
  }

  /** The string that was read last, as one of the few names that occur again and again. */
  name(): string {
    const [bytes, from, to] = [this.bytes, this.from, this.to];
    const [first = 0, last = 0, middle = 0] = [bytes[from], bytes[to - 1], bytes[(from + to) >>> 1]];
    const slot = (first + 31 * last + 97 * middle + 1_031 * (to - from)) % NAMES;
    const known = this.#names[slot];
    if (known?.bytes.length === to - from && isSame(bytes, from, known.bytes)) return known.name;
    const name = this.own();
    if (to - from <= SHORT) this.#names[slot] = { bytes: Buffer.from(bytes.subarray(from, to)), name };
    return name;
  }

  /** The string that was read last, in memory of its own: a slice would keep all of the text around it. */
  own(): string {
    if (!this.#isAscii) return this.decoded();
    const own = this.bytes.toString('latin1', this.from, this.to);
    return own.includes('\\') ? this.decoded() : own;
  }

  /** The string that was read last, with its escapes resolved. */
  decoded(): string {
    const text = this.bytes.toString('utf8', this.from, this.to);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** The string that was read last, parsed when it is asked for; keeps the line in memory until then. */
  laterParsed(): () => unknown {
    const [bytes, from, to] = [this.bytes, this.from - 1, this.to + 1];
    return (): unknown => JSON.parse(bytes.toString('utf8', from, to));
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

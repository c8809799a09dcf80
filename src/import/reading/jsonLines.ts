import type { Entry, ProblemSink } from './entries.js';
import type { ByteWindow } from './byteWindow.js';
import { valueEnd } from './jsonBytes.js';
import { jsonValue } from './jsonText.js';
import { nestsDeeper, MAX_NESTING } from './nesting.js';
import { TextsOfPieces } from './repeatedTexts.js';

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** What is told of commas that JSON does not have. */
export const LAST_COMMAS = 'Commas stand behind the last items of lists or objects; they were left out.';

/** What programs write between values besides line feeds: white space, commas, NUL bytes and 0x1E; U+0085, U+2028 and U+2029 take several bytes. */
const SEPARATORS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0b, 0x0c, 0x0d, 0, 0x2c, 0x1e]);

/** How many bytes are scanned in all for values that do not end where they should; then lines are taken as they are. */
const MAX_SCANNED = 256 * 1024 * 1024;

/** How far apart a value over several lines may begin and end, in bytes, where the file is not held as a whole. */
const MAX_SPREAD = 16 * 1024 * 1024;

/** What an object with a member begins with. */
const BEGIN = Buffer.from('{"');

/** A colon, a comma and a bracket: what a value within another stands behind. */
const INSIDE = [0x3a, 0x2c, 0x5b];

/** What is told of an item of a list that ends where its brackets do, and cannot be read. */
const NO_ITEM = 'This item of the list is no JSON.';

/** How many objects of a broken line are tried, and how many members one has that is an event of its own. */
const MAX_TRIES = 200;
const MIN_KEYS = 2;

/** Who is told of what could not be read. */
export interface LineReporter extends ProblemSink {
  /** Hears of a line that could not be read. */
  unreadable(line: number, why: string): void;
}

/**
 * The values of a file with one JSON value a line, without blank lines; a value over several lines and several values in
 * one line are read too. Split only at the byte 0x0A, because other line separators are legal within JSON strings. What
 * is not JSON is given as `raw` and reported, line by line. `firstLine` is the number of the line with which it begins.
 */
export function* jsonLines(window: ByteWindow, sink: LineReporter, firstLine = 1): Generator<Entry> {
  yield* new JsonLines(window, sink, firstLine).read();
}

/** The value that stood in these bytes of a file as one of its `jsonLines`; throws where it stands there no more. */
export function valueIn(bytes: Uint8Array): unknown {
  return jsonValue(withoutSpace(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
}

/**
 * A text without the white space and the NUL bytes around it, which disks leave where a write was cut off. Looks at its
 * ends alone, however much white space stands within.
 */
export function withoutSpace(text: string): string {
  let whole = text.trim();
  // NUL bytes are no white space; each kind may stand behind the other.
  while (whole.startsWith('\0') || whole.endsWith('\0')) {
    let [start, end] = [0, whole.length];
    while (whole[start] === '\0') start++;
    while (end > start && whole[end - 1] === '\0') end--;
    whole = whole.slice(start, end).trim();
  }
  return whole;
}

/** The same, with the number of the line that is read: behind all of them, of the one that would follow. */
export class JsonLines {
  readonly #window: ByteWindow;
  readonly #sink: LineReporter;
  readonly #decode: (bytes: Uint8Array, line: number) => string;
  readonly #texts = new TextsOfPieces();
  #line: number;
  #scanned = 0;
  #isMended = false;

  constructor(window: ByteWindow, sink: LineReporter, firstLine = 1) {
    this.#window = window;
    this.#sink = sink;
    this.#line = firstLine;
    this.#decode = decoder(sink);
  }

  get line(): number {
    return this.#line;
  }

  read(): Generator<Entry> {
    return together(this.#lines());
  }

  *#lines(): Generator<Entry> {
    for (let start = 0; ;) {
      start = this.#window.forget(this.#behindBlankLines(start));
      const end = this.#lineEnd(start);
      if (start >= this.#bytes.length) return;
      const text = this.#text(start, end);
      const whole = text === '' || nestsDeeper(text) ? undefined : parsed(text);
      if (whole) yield this.#entry(whole, start, end);
      else if (text !== '') {
        const taken = yield* this.#values(start, end, text);
        if (taken > end) {
          start = taken;
          continue;
        }
      }
      start = end + 1;
      this.#line++;
    }
  }

  /** The objects of a list that begins before the window, up to its end; each of them ends, see `listStart`. */
  *items(): Generator<Entry> {
    for (let at = 0; ;) {
      const start = this.#window.forget(at);
      const comma = nextByte(this.#window, start);
      const from = nextByte(this.#window, comma + (this.#bytes[comma] === COMMA ? 1 : 0));
      this.#line += lineFeeds(this.#bytes, start, from);
      if (this.#bytes[from] !== 0x7b) return;
      const to = endOfItem(this.#window, from) ?? this.#bytes.length;
      const found = this.#parse(from, to) ?? this.#mended(from, to);
      yield found ? this.#entry(found, from, to) : this.#unreadable(this.#text(from, to), NO_ITEM);
      this.#line += lineFeeds(this.#bytes, from, to);
      at = to;
    }
  }

  /** An item without the commas that JSON does not have. */
  #mended(from: number, to: number): { readonly value: unknown } | undefined {
    const value = withoutLastCommas(this.#text(from, to));
    if (value === undefined) return undefined;
    if (!this.#isMended) this.#sink.problem('warning', LAST_COMMAS);
    this.#isMended = true;
    return { value };
  }

  get #bytes(): Uint8Array {
    return this.#window.bytes;
  }

  #entry(found: { readonly value: unknown }, from: number, to: number): Entry {
    if (TextsOfPieces.isIn(found.value)) {
      const value = this.#texts.whole(found.value, this.#sink, this.#line);
      // It cannot be read again alone.
      return { value, line: this.#line, length: to - from };
    }
    // Named one by one: what a spread makes here outlives its line by far, in V8.
    return { value: found.value, line: this.#line, offset: this.#window.offset + from, length: to - from };
  }

  /** Where the next line that is not empty begins, as far as the window reaches: files may be padded with any number of these. */
  #behindBlankLines(start: number): number {
    let at = start;
    for (
      let from = start, byte = this.#bytes[from];
      byte !== undefined && byte <= 0x20;
      byte = this.#bytes[from]
    ) {
      if (byte !== LINE_FEED && byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) break;
      from++;
      if (byte !== LINE_FEED) continue;
      at = from;
      this.#line++;
    }
    return at;
  }

  #lineEnd(start: number): number {
    for (let from = start; ;) {
      const end = this.#bytes.indexOf(LINE_FEED, from);
      if (end >= 0) return end;
      if (this.#window.isEnd) return this.#bytes.length;
      from = this.#bytes.length;
      this.#window.more();
    }
  }

  /**
   * The values that begin in a line that is not one value; gives where the last of them ends, which is behind the line
   * where it has several.
   */
  *#values(start: number, end: number, text: string): Generator<Entry, number> {
    let at = start;
    for (let from = this.#valueStart(start, end); from !== undefined; from = this.#valueStart(at, end)) {
      const to = this.#endOf(from);
      const found = to === undefined ? undefined : this.#parse(from, to);
      if (to === undefined || !found) break;
      yield this.#entry(found, from, to);
      this.#line += lineFeeds(this.#bytes, from, to);
      at = to;
      if (to > end) return to;
    }
    const whole = this.#wholeBehind(at, end);
    const until = whole[0]?.from ?? end;
    const rest = (at === start && until === end ? text : this.#text(at, until)).replace(
      /^[\s,\x1e\x85]+/,
      '',
    );
    if (rest !== '') {
      const isLast = end === this.#bytes.length && whole.length === 0;
      yield this.#unreadable(rest, isLast ? 'The last line is cut.' : 'This line is no JSON.');
    }
    for (const { value, from, to } of whole) yield this.#entry({ value }, from, to);
    return end;
  }

  /**
   * The whole values with which a line ends whose beginning is broken: a program wrote them behind what another, or itself before
   * a crash, had left. An object in the broken one is none of them: those that follow one another reach to the end.
   */
  #wholeBehind(start: number, end: number): readonly { value: unknown; from: number; to: number }[] {
    for (let at = this.#find(start + 1, end), tries = 0; tries < MAX_TRIES; tries++) {
      if (at < 0) return [];
      // What stands behind one of these is part of what is broken.
      const isInside = INSIDE.includes(this.#bytes[at - 1] ?? 0);
      const found = isInside ? undefined : this.#valuesUpTo(at, end);
      if (found) return found;
      at = this.#find(at + 1, end);
    }
    return [];
  }

  /** Looks at nothing behind `end`: a line without any would else be looked for through all of the file, line by line. */
  #find(from: number, end: number): number {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset, end).indexOf(BEGIN, from);
  }

  /** The objects that stand one behind the other from a place to the end of a line; undefined where anything else does. */
  #valuesUpTo(start: number, end: number) {
    const values: { value: unknown; from: number; to: number }[] = [];
    for (let from = this.#valueStart(start, end); from !== undefined;) {
      const to = valueEnd(this.#bytes.subarray(0, end), from);
      const found = to === undefined ? undefined : this.#parse(from, to);
      if (to === undefined || !found || Object.keys(found.value as object).length < MIN_KEYS)
        return undefined;
      values.push({ value: found.value, from, to });
      const next = this.#valueStart(to, end);
      if (next === undefined && this.#text(to, end) !== '') return undefined;
      from = next;
    }
    return values;
  }

  /** Where the next object or list of a line begins, behind commas and white space; undefined where none does. */
  #valueStart(from: number, end: number): number | undefined {
    let at = from;
    for (let length = 1; at < end && length > 0; at += length) length = this.#separatorAt(at);
    const byte = this.#bytes[at];
    return at < end && (byte === 0x7b || byte === 0x5b) ? at : undefined;
  }

  /** How many bytes of what may stand between two values stand there; 0 for none. */
  #separatorAt(at: number): number {
    const [first = -1, second, third = 0] = this.#bytes.subarray(at, at + 3);
    if (SEPARATORS.has(first)) return 1;
    if (first === 0xc2 && second === 0x85) return 2;
    return first === 0xe2 && second === 0x80 && (third === 0xa8 || third === 0xa9) ? 3 : 0;
  }

  #endOf(from: number): number | undefined {
    for (;;) {
      if (this.#scanned >= MAX_SCANNED) return undefined;
      const to = valueEnd(this.#bytes, from);
      const length = (to ?? this.#bytes.length) - from;
      this.#scanned += length;
      if (to !== undefined || this.#window.isEnd || length >= MAX_SPREAD) return to;
      this.#window.more();
    }
  }

  #parse(from: number, to: number): { readonly value: unknown } | undefined {
    const text = this.#decode(this.#bytes.subarray(from, to), this.#line);
    return nestsDeeper(text) ? undefined : parsed(text);
  }

  #text(start: number, end: number): string {
    return withoutSpace(this.#decode(this.#bytes.subarray(start, end), this.#line));
  }

  #unreadable(text: string, why: string): Entry {
    const line = this.#line;
    const isDeep = nestsDeeper(text);
    this.#sink.unreadable(line, isDeep ? `This line nests deeper than ${MAX_NESTING} levels.` : why);
    return { value: undefined, line, raw: text };
  }
}

/** How many lines that are no JSON are entries of their own; further ones follow each other in one, up to so many characters. */
const MAX_APART = 100;
const MAX_TOGETHER = 64 * 1024;

/** Entries as they are, but for lines that are no JSON where there are very many of them: each would cost as much as a message. */
function* together(entries: Iterable<Entry>): Generator<Entry> {
  let apart = 0;
  let held: { readonly line: number | undefined; readonly raws: string[] } | undefined;
  let length = 0;
  const joined = (block: NonNullable<typeof held>): Entry => ({
    value: undefined,
    ...(block.line !== undefined && { line: block.line }),
    raw: block.raws.join('\n'),
  });
  for (const entry of entries) {
    if (entry.raw !== undefined && ++apart > MAX_APART) {
      held ??= { line: entry.line, raws: [] };
      held.raws.push(entry.raw);
      length += entry.raw.length + 1;
      if (length < MAX_TOGETHER) continue;
    } else if (!held) {
      yield entry;
      continue;
    }
    yield joined(held);
    held = undefined;
    length = 0;
    if (entry.raw === undefined) yield entry;
  }
  if (held) yield joined(held);
}

/** An item of a list that is longer, in bytes, is read with the whole file. */
const MAX_ITEM = 64 * 1024 * 1024;

/**
 * Where the first item of a file stands that is one list of objects, in bytes, where each of these ends and nothing stands behind the
 * list; undefined for any other file. Goes through all of it.
 */
export function listStart(window: ByteWindow): number | undefined {
  const begin = nextByte(window, 0);
  if (window.bytes[begin] !== 0x5b) return undefined;
  const start = window.offset + begin + 1;
  for (let [at, isFirst] = [begin + 1, true]; ; isFirst = false) {
    at = nextByte(window, window.forget(at));
    if (window.bytes[at] === 0x5d && !isFirst)
      return nextByte(window, at + 1) < window.bytes.length ? undefined : start;
    if (!isFirst) {
      if (window.bytes[at] !== COMMA) return undefined;
      at = nextByte(window, at + 1);
    }
    const to = window.bytes[at] === 0x7b ? endOfItem(window, at) : undefined;
    if (to === undefined) return undefined;
    at = to;
  }
}

/** Where in a window the next byte stands that is no white space; behind all where none does. */
function nextByte(window: ByteWindow, from: number): number {
  for (let at = from; ;) {
    const { bytes } = window;
    while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at++;
    if (at < bytes.length || window.isEnd) return at;
    window.more();
  }
}

function endOfItem(window: ByteWindow, from: number): number | undefined {
  for (;;) {
    const to = valueEnd(window.bytes, from);
    if (to !== undefined || window.isEnd || window.bytes.length - from > MAX_ITEM) return to;
    window.more();
  }
}

/** The value of a text in which commas stand before closing brackets; undefined where it is no JSON even without. */
export function withoutLastCommas(text: string): unknown {
  try {
    const mended = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[\]}])/gs, (found) =>
      found === ',' ? '' : found,
    );
    return mended === text || nestsDeeper(mended) ? undefined : jsonValue(mended);
  } catch {
    // Brackets that match do not make JSON; line by line it is reported.
    return undefined;
  }
}

/** What no JSON begins with that any program writes; to try it costs as much as to read it. */
const NO_VALUE = /^(?:[^[{"\d\-tfn]|t(?!rue)|f(?!alse)|n(?!ull))/;

function parsed(text: string): { readonly value: unknown } | undefined {
  if (NO_VALUE.test(text)) return undefined;
  try {
    return { value: jsonValue(text) };
  } catch {
    // The caller looks for what else it may be.
    return undefined;
  }
}

/** How many line feeds stand in bytes from `start` to `end`. */
function lineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count++;
  return count;
}

/** Decodes UTF-8; invalid bytes are replaced and reported once. */
function decoder(sink: LineReporter): (bytes: Uint8Array, line: number) => string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
  let isReported = false;
  return (bytes, line) => {
    try {
      return strict.decode(bytes);
    } catch {
      if (!isReported) sink.problem('warning', 'Some bytes are no UTF-8; they were replaced.', line);
      isReported = true;
      return lenient.decode(bytes);
    }
  };
}

import type { Entry, ImportSink } from '../importSink.js';
import { valueEnd } from './jsonBytes.js';
import { nestsDeeper, MAX_NESTING } from './nesting.js';

const LINE_FEED = 0x0a;

/** How many bytes are scanned in all for values that do not end where they should; then lines are taken as they are. */
const MAX_SCANNED = 256 * 1024 * 1024;

/**
 * The values of a file with one JSON value a line, without blank lines; a value over several lines and several values in
 * one line are read too. Split only at the byte 0x0A, because other line separators are legal within JSON strings. What
 * is not JSON is given as `raw` and reported, line by line.
 */
export function* jsonLines(bytes: Uint8Array, sink: ImportSink): Generator<Entry> {
  yield* new LineReader(bytes, sink).read();
}

class LineReader {
  readonly #bytes: Uint8Array;
  readonly #sink: ImportSink;
  readonly #decode: (bytes: Uint8Array, line: number) => string;
  #line = 1;
  #scanned = 0;

  constructor(bytes: Uint8Array, sink: ImportSink) {
    this.#bytes = bytes;
    this.#sink = sink;
    this.#decode = decoder(sink);
  }

  *read(): Generator<Entry> {
    for (let start = 0; start < this.#bytes.length;) {
      const lineEnd = this.#bytes.indexOf(LINE_FEED, start);
      const end = lineEnd < 0 ? this.#bytes.length : lineEnd;
      const text = this.#text(start, end);
      const whole = text === '' || nestsDeeper(text) ? undefined : parsed(text);
      if (whole) yield { ...whole, line: this.#line };
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
      yield { ...found, line: this.#line };
      this.#line += lineFeeds(this.#bytes, from, to);
      at = to;
      if (to > end) return to;
    }
    const rest = (at === start ? text : this.#text(at, end)).replace(/^[\s,]+/, '');
    if (rest !== '') yield this.#unreadable(rest, end === this.#bytes.length);
    return end;
  }

  /** Where the next object or list of a line begins, behind commas and white space; undefined where none does. */
  #valueStart(from: number, end: number): number | undefined {
    let at = from;
    while (at < end && [0x20, 0x09, 0x0d, 0, 0x2c].includes(this.#bytes[at] ?? -1)) at++;
    const byte = this.#bytes[at];
    return at < end && (byte === 0x7b || byte === 0x5b) ? at : undefined;
  }

  #endOf(from: number): number | undefined {
    if (this.#scanned >= MAX_SCANNED) return undefined;
    const to = valueEnd(this.#bytes, from);
    this.#scanned += (to ?? this.#bytes.length) - from;
    return to;
  }

  #parse(from: number, to: number): { readonly value: unknown } | undefined {
    const text = this.#decode(this.#bytes.subarray(from, to), this.#line);
    return nestsDeeper(text) ? undefined : parsed(text);
  }

  #text(start: number, end: number): string {
    return this.#decode(this.#bytes.subarray(start, end), this.#line).replace(/^[\s\0]+|[\s\0]+$/g, '');
  }

  #unreadable(text: string, isLast: boolean): Entry {
    const line = this.#line;
    const isDeep = nestsDeeper(text);
    const why = isLast ? 'The last line is cut.' : 'This line is no JSON.';
    this.#sink.unreadable(line, isDeep ? `This line nests deeper than ${MAX_NESTING} levels.` : why);
    return { value: undefined, line, raw: text };
  }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // The caller looks for what else it may be.
    return undefined;
  }
}

function lineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count++;
  return count;
}

/** Decodes UTF-8; invalid bytes are replaced and reported once. */
function decoder(sink: ImportSink): (bytes: Uint8Array, line: number) => string {
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

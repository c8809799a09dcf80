import { preview } from '../../core/text.js';
import { parseJsonBytes } from './jsonBytes.js';
import { withoutSpace } from './jsonLines.js';
import { MAX_NESTING } from './nesting.js';

/** A JSON value whose end is missing, completed. */
export interface CutJson {
  readonly value: unknown;
  /** The line in which it breaks off, from 1. */
  readonly line: number;
  /** What it breaks off in: keys and indices, such as `messages[3].content`; '' at its top. */
  readonly path: string;
  /** What stands behind the last whole thing: a key without its value, a number or a word that may go on. */
  readonly rest: string;
}

/**
 * The value of a single JSON list or object that breaks off, as it does in a file that was being written or whose
 * download failed: what is open is closed. A text that breaks off keeps what there is of it; a single word does not become
 * a value, because half a role, an id or a number is another one. Undefined where bytes are no beginning of such a value,
 * where it nests very deep, and where nothing of it stands before the cut. `isSaid`: under which keys a single word is kept, too.
 */
export function cutJson(bytes: Uint8Array, isSaid?: (key: string) => boolean): CutJson | undefined {
  const scan = new Scan(bytes, isSaid);
  if (!scan.run() || scan.depth === 0) return undefined;
  const { whole, closing } = scan.completion();
  let value: unknown;
  try {
    value = parseJsonBytes(Buffer.concat([bytes.subarray(0, whole), Buffer.from(closing)]));
  } catch {
    // Numbers are not checked by the scan; a wrong one makes this no JSON.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return undefined;
  return { value, line: scan.lineFeeds + 1, path: scan.path(), rest: restOf(bytes, whole) };
}

/** What stands behind the last whole thing, without what only joins it to the next, and without half a character. */
function restOf(bytes: Uint8Array, whole: number): string {
  const rest = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(whole), { stream: true });
  return withoutSpace(rest).replace(/^[\s\0,]+/, '');
}

/** What may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** A list or an object that is open. */
interface Open {
  readonly isList: boolean;
  /** How many items are whole. */
  index: number;
  /** Where the last whole item ends. */
  itemEnd: number;
  /** Where the key of the current member stands, with its quotes. */
  key: readonly [start: number, end: number] | undefined;
  /** Whether a text of several words, or one that is said, stands in it. */
  hasText: boolean;
}

/** A beginning of the bytes that becomes a value by closing what is open. */
interface Completion {
  readonly end: number;
  /** How many lists and objects are open there. */
  readonly depth: number;
  /** What has to stand before their brackets. */
  readonly quote: '"' | '';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const WORDS: readonly Buffer[] = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** The longest key that a path names, in code points. */
const MAX_KEY = 40;

/** Goes through bytes as JSON, and notes up to where they are whole. */
class Scan {
  readonly #bytes: Uint8Array;
  readonly #isSaid: (key: string) => boolean;
  readonly #open: Open[] = [];
  #expected: Expected = 'value';
  /** The last place at which something was whole. */
  #whole: Completion = { end: 0, depth: 0, quote: '' };
  /** Where a text begins that does not end. */
  #cutText: number | undefined;
  lineFeeds = 0;

  constructor(bytes: Uint8Array, isSaid: (key: string) => boolean = () => false) {
    this.#bytes = bytes;
    this.#isSaid = isSaid;
  }

  get depth(): number {
    return this.#open.length;
  }

  /** Whether the bytes are the beginning of one JSON value that does not nest too deep. */
  run(): boolean {
    for (let at = 0; at < this.#bytes.length;) {
      const byte = this.#bytes[at] ?? 0;
      if (byte === 0x0a) this.lineFeeds++;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0) at++;
      else {
        const next = this.#token(at, byte);
        if (next === undefined || this.#open.length > MAX_NESTING) return false;
        at = next;
        if (this.#open.length === 0) return at === this.#bytes.length;
      }
    }
    return true;
  }

  /** Up to where the bytes are taken, and what has to stand behind them. */
  completion(): { readonly whole: number; readonly closing: string } {
    const end = this.#cutText === undefined ? undefined : this.#textEnd(this.#cutText);
    const { depth, quote, ...taken }: Completion =
      end === undefined ? this.#completed() : { end, depth: this.#open.length, quote: '"' };
    const brackets = this.#open.slice(0, depth).map(({ isList }) => (isList ? ']' : '}'));
    return { whole: taken.end, closing: `${quote}${brackets.reverse().join('')}` };
  }

  /** The last whole thing, without an item of a list that says nothing yet behind others. */
  #completed(): Completion {
    for (const [depth, { isList, index, itemEnd }] of this.#open.entries()) {
      const item = this.#open[depth + 1];
      if (isList && index > 0 && item && !item.hasText) return { end: itemEnd, depth: depth + 1, quote: '' };
    }
    return this.#whole;
  }

  /** The keys and indices of what is open. */
  path(): string {
    const steps = this.#open.map(({ isList, index, key }) => {
      if (isList) return `[${index}]`;
      return key === undefined ? '' : `.${this.#keyText(key)}`;
    });
    return steps.join('').replace(/^\./, '');
  }

  #keyText([start, end]: readonly [number, number]): string {
    const name = new TextDecoder().decode(this.#bytes.subarray(start, end)).replace(/^"|"$/g, '');
    return preview(name, MAX_KEY);
  }

  /** Takes the token that begins at `at`; gives where it ends, undefined where it may not stand there. */
  #token(at: number, byte: number): number | undefined {
    const takesValue = this.#expected === 'value' || this.#expected === 'value or end';
    const takesEnd = this.#expected.endsWith('or end');
    const top = this.#open.at(-1);
    if (byte === 0x7b || byte === 0x5b) return takesValue ? this.#begin(at, byte === 0x5b) : undefined;
    if (byte === 0x7d || byte === 0x5d)
      return takesEnd && top?.isList === (byte === 0x5d) ? this.#end(at) : undefined;
    if (byte === 0x2c && this.#expected === 'comma or end' && top) {
      top.index++;
      top.key = undefined;
      this.#expected = top.isList ? 'value' : 'key';
      return at + 1;
    }
    if (byte === 0x3a && this.#expected === 'colon') {
      this.#expected = 'value';
      return at + 1;
    }
    if (byte === QUOTE && (takesValue || this.#expected.startsWith('key')))
      return this.#string(at, takesValue);
    return takesValue && top ? (this.#word(at) ?? this.#number(at)) : undefined;
  }

  #begin(at: number, isList: boolean): number {
    this.#open.push({ isList, index: 0, itemEnd: at, key: undefined, hasText: false });
    this.#expected = isList ? 'value or end' : 'key or end';
    return at + 1;
  }

  #end(at: number): number {
    this.#open.pop();
    return this.#valueEnded(at + 1);
  }

  #valueEnded(end: number): number {
    const top = this.#open.at(-1);
    if (top) top.itemEnd = end;
    this.#expected = 'comma or end';
    this.#whole = { end, depth: this.#open.length, quote: '' };
    return end;
  }

  /** A string ends at its quote; control characters, line feeds among them, may not stand in it. */
  #string(start: number, isValue: boolean): number | undefined {
    const top = this.#open.at(-1);
    if (!top) return undefined;
    let hasSpace = false;
    for (let at = start + 1; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte === BACKSLASH) at++;
      else if (byte === 0x20) hasSpace = true;
      else if (byte < 0x20) return this.#isPadding(at) ? this.#cutIn(start, isValue) : undefined;
      else if (byte === QUOTE) {
        if (isValue && !top.hasText && (hasSpace || this.#saysIn(top)))
          for (const open of this.#open) open.hasText = true;
        if (isValue) return this.#valueEnded(at + 1);
        top.key = [start, at + 1];
        this.#expected = 'colon';
        return at + 1;
      }
    }
    return this.#cutIn(start, isValue);
  }

  /** Whether what stands under the key of the current member is kept, be it a single word. */
  #saysIn(open: Open | undefined): boolean {
    return open?.key !== undefined && this.#isSaid(this.#keyText(open.key));
  }

  #cutIn(start: number, isValue: boolean): number {
    if (isValue) this.#cutText = start;
    return this.#bytes.length;
  }

  /** Whether only white space and NUL bytes follow, which disks and editors leave behind a cut. */
  #isPadding(at: number): boolean {
    return !this.#bytes.subarray(at).some((byte) => byte > 0x20);
  }

  /** Where a text that breaks off is whole, behind its last whole character; undefined where it is not a text of words. */
  #textEnd(start: number): number | undefined {
    let end = start + 1;
    let hasSpace = this.#saysIn(this.#open.at(-1));
    for (let at = end; at < this.#bytes.length; at = end) {
      const byte = this.#bytes[at] ?? 0;
      const length = byte === BACKSLASH ? this.#escapeLength(at) : characterLength(byte);
      if (length === undefined || at + length > this.#bytes.length || byte < 0x20) break;
      hasSpace ||= byte === 0x20 || (byte === BACKSLASH && this.#bytes[at + 1] === 0x6e);
      end = at + length;
    }
    return hasSpace ? end : undefined;
  }

  /** How long an escape is, both halves of a character beyond U+FFFF together; undefined where its end is missing. */
  #escapeLength(at: number): number | undefined {
    if (this.#bytes[at + 1] !== 0x75) return at + 2 <= this.#bytes.length ? 2 : undefined;
    const digits = Buffer.from(this.#bytes.subarray(at + 2, at + 6)).toString('latin1');
    if (digits.length < 4) return undefined;
    if (!/^d[89ab]/i.test(digits)) return 6;
    const [slash, u = 0x75] = this.#bytes.subarray(at + 6, at + 8);
    if (slash === undefined) return undefined;
    return slash === BACKSLASH && u === 0x75 ? 12 : 6;
  }

  #word(at: number): number | undefined {
    const found = this.#bytes.subarray(at, at + 5);
    const isCut = at + 5 > this.#bytes.length;
    for (const word of WORDS) {
      if (word.equals(found.subarray(0, word.length))) return this.#valueEnded(at + word.length);
      if (isCut && word.subarray(0, found.length).equals(found)) return this.#bytes.length;
    }
    return undefined;
  }

  /** A number is whole where something follows it. */
  #number(start: number): number | undefined {
    let at = start;
    while (at < this.#bytes.length && /[-+.\deE]/.test(String.fromCharCode(this.#bytes[at] ?? 0))) at++;
    if (at === start) return undefined;
    return at === this.#bytes.length ? at : this.#valueEnded(at);
  }
}

/** How many bytes a character of UTF-8 has that begins with this one. */
function characterLength(first: number): number {
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

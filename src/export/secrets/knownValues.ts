import type { Span } from './redacted.js';

/** Shorter forms are not looked for: they would be found in words. */
const MIN_FORM = 8;
/** Base64 of a part of a value is looked for from this length on, in characters. */
const MIN_BASE64 = 14;

/** The forms that end with the same eight characters. */
interface Ending {
  /** How long they are, each length once, the longest first. */
  readonly lengths: number[];
  /** The value by its form. */
  readonly values: Map<string, string>;
}

/** A known value in a text, as it is or encoded. */
export interface KnownSpan extends Span {
  readonly value: string;
}

/**
 * Whether a value is so much like none else that it is the same secret wherever it stands, without the name that gave it
 * away: at least ten characters, letters and digits. Passwords that are words are not.
 */
export function isDistinct(value: string): boolean {
  return value.length >= 10 && /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 6;
}

/**
 * Values that are looked for wherever they stand: as they are, with the escapes of JSON or of a URL, and within Base64. One
 * pass over a text, whatever the number of values.
 */
export class KnownValues {
  readonly #byTail = new Map<string, Ending>();
  /** Which hashes of three characters end a form. */
  readonly #ends = new Uint8Array(0x1_0000);
  readonly #values = new Set<string>();
  /** Whether every value is the same within JSON. */
  #arePlain = true;

  /**
   * Whether what `spansIn` finds in the texts of a value of JSON, it finds in the JSON of it, too: no value has anything that is
   * escaped there.
   */
  get arePlain(): boolean {
    return this.#arePlain;
  }

  get size(): number {
    return this.#values.size;
  }

  add(value: string): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    this.#arePlain &&= JSON.stringify(value) === `"${value}"`;
    for (const form of formsOf(value)) {
      const tail = form.slice(-MIN_FORM);
      const ending: Ending = this.#byTail.get(tail) ?? { lengths: [], values: new Map() };
      this.#byTail.set(tail, ending);
      ending.values.set(form, value);
      if (!ending.lengths.includes(form.length)) {
        ending.lengths.push(form.length);
        ending.lengths.sort((a, b) => b - a);
      }
      const end = form.length;
      this.#ends[hash(form.charCodeAt(end - 3), form.charCodeAt(end - 2), form.charCodeAt(end - 1))] = 1;
    }
  }

  /** Where they stand in a text, in order; of those that overlap, what they cover together. */
  spansIn(text: string): readonly KnownSpan[] {
    if (this.#values.size === 0 || text.length < MIN_FORM) return NO_SPANS;
    let spans: KnownSpan[] | undefined;
    let before = text.charCodeAt(MIN_FORM - 3);
    let last = text.charCodeAt(MIN_FORM - 2);
    for (let at = MIN_FORM - 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#ends[hash(before, last, code)] === 1) {
        const found = this.#endingAt(text, at + 1);
        if (found) add((spans ??= []), found);
      }
      before = last;
      last = code;
    }
    return spans ?? NO_SPANS;
  }

  #endingAt(text: string, end: number): KnownSpan | undefined {
    const ending = this.#byTail.get(text.slice(end - MIN_FORM, end));
    for (const length of ending?.lengths ?? []) {
      const value = length > end ? undefined : ending?.values.get(text.slice(end - length, end));
      if (value !== undefined) return { start: end - length, end, value };
    }
    return undefined;
  }
}

const NO_SPANS: readonly KnownSpan[] = [];

const hash = (a: number, b: number, c: number): number => ((a * 0x9e5) ^ (b * 0x1f3) ^ (c * 0x11)) & 0xffff;

/** Adds a span that ends last; what it covers or overlaps becomes one with it. */
function add(spans: KnownSpan[], found: KnownSpan): void {
  let { start, value } = found;
  for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
    if (last.start < start) ({ start, value } = last);
    spans.pop();
  }
  spans.push({ start, end: found.end, value });
}

/** A value as it may be written: as it is, in JSON, in a URL, and what is the same of its Base64 wherever it stands in one. */
function formsOf(value: string): ReadonlySet<string> {
  const forms = [value, JSON.stringify(value).slice(1, -1), percentEncoded(value), ...inBase64(value)];
  return new Set(forms.filter((form) => form.length >= MIN_FORM));
}

function percentEncoded(value: string): string {
  // A lone surrogate cannot be encoded; a buffer replaces it.
  return encodeURIComponent(Buffer.from(value).toString());
}

function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const own = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    const forms = [own, own.replaceAll('+', '-').replaceAll('/', '_')];
    return own.length < MIN_BASE64 ? [] : forms;
  });
}

import { time } from '../reading/fields.js';
import { jsonValue } from '../reading/jsonText.js';
import { nestsDeeper } from '../reading/nesting.js';
import { Fingerprints } from '../spool/fingerprints.js';

/** How many characters may be searched for texts that stand within longer lines; beyond, such a text counts as missing. */
export const MAX_SEARCHED = 100_000_000;

/** How deep values are looked into, JSON within texts included. */
export const MAX_DEPTH = 500;

/** How many characters are searched for a word without looking into their lines first: more are looked into once. */
const MAX_READ_THROUGH = 64 * 1024;

/** A long text, in characters, is compared with a few others rather than looked up, for which all of it must be read. */
const LONG = 256;
const MAX_COMPARED = 16;

/** An id as most tools make them, which is no time, whatever its digits. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UUID_LENGTH = 36;

/** A text of which no line and no JSON can hold another form, unless a letter or a slash of it is escaped: ids, paths, names. */
const PLAIN = /^[\w.:+/=@-]+$/;
/** How JSON writes what it may as well write as it is; of the slash alone it has a form of its own. */
const ESCAPED = '\\u';
const ESCAPED_SLASH = '\\/';

/**
 * The texts and numbers that stand in records, to ask whether one of a file stands there too. What counts as the same:
 *
 * - Lines are compared one by one without the white space around them, because texts are trimmed, joined and split.
 * - A text that is JSON stands for the values in it, because arguments and results are written both ways.
 * - A base64 text stands in a `data:` URL, because that is how pictures are kept.
 * - A time stands as a number of milliseconds, because that is how records keep it.
 * - A piece of a streamed text stands within the whole text.
 */
export class StandingTexts {
  readonly #whole = new Set<string>();
  readonly #numbers = new Set<number>();
  readonly #texts: string[] = [];
  /** The lines of the first `#indexed` texts. */
  readonly #lines = new Fingerprints();
  #indexed = 0;
  /** How many texts were looked into for JSON; what stands in it is among the texts. */
  #opened = 0;
  /** How many characters the texts have, and whether letters or slashes may be written in another form in them. */
  #length = 0;
  #hasEscapes = false;
  #hasEscapedSlashes = false;
  #left = MAX_SEARCHED;
  readonly #least: number;

  /** `least`: no text is asked for that is shorter, in characters. */
  constructor(least = 0) {
    this.#least = least;
  }

  /** Adds every text and number in a value, keys of objects included. */
  add(value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === 'string') this.#addText(value);
    else if (typeof value === 'number') this.#numbers.add(value);
    else if (Array.isArray(value)) for (const each of value) this.add(each, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        if (key.length >= LONG) this.#addText(key);
        else if (key.length >= this.#least) this.#whole.add(key);
        this.add((value as Record<string, unknown>)[key], depth + 1);
      }
    }
  }

  /** Whether a text stands as the whole of a text, or as a time, also in JSON: most do, and no other way needs to be looked for. */
  hasWhole(text: string): boolean {
    if (this.#isAmong(text)) return true;
    const at = timeOf(text);
    const isTime = () => at !== undefined && this.#numbers.has(at);
    return isTime() || (this.#open() && (this.#isAmong(text) || isTime()));
  }

  /** Whether a number stands as one, also in JSON. */
  hasWholeNumber(number: number): boolean {
    return this.#numbers.has(number) || (this.#open() && this.#numbers.has(number));
  }

  hasText(text: string): boolean {
    if (this.#isAmong(text)) return true;
    const at = timeOf(text);
    if (at !== undefined && this.#numbers.has(at)) return true;
    if (this.#isSoonReadThrough(text) && PLAIN.test(text)) {
      const isWithin = this.#standsWithin(text);
      // JSON in a text may have a time as a number.
      if (at === undefined || (!isWithin && !this.#standsWithin(String(at)))) return isWithin;
    }
    if (this.#open() && (this.#isAmong(text) || (at !== undefined && this.#numbers.has(at)))) return true;
    this.#index();
    if (everyLine(text, (line) => this.#lines.has(line))) return true;
    return this.#standsWithin(text.trim());
  }

  /** Whether a text stands as a key, or as a whole text. */
  hasKey(key: string): boolean {
    return this.#whole.has(key);
  }

  /** Whether a short text stands somewhere as it is, as the whole of a text, as a line of one or as a key. */
  hasWord(word: string): boolean {
    if (this.#whole.has(word) || this.#whole.has(word.toLowerCase())) return true;
    const number = Number(word);
    if (!Number.isNaN(number) && this.#numbers.has(number)) return true;
    this.#open();
    if (this.#whole.has(word)) return true;
    this.#index();
    return this.#lines.has(word);
  }

  hasNumber(number: number): boolean {
    if (this.hasWholeNumber(number)) return true;
    this.#index();
    if (this.#lines.has(String(number))) return true;
    const at = time(number);
    return at !== undefined && this.#numbers.has(at);
  }

  #addText(text: string): void {
    if (this.#isAmong(text)) return;
    const count = this.#texts.push(text);
    if ((text.length < LONG && text.length >= this.#least) || count > MAX_COMPARED) this.#whole.add(text);
    if (count === MAX_COMPARED + 1) for (const each of this.#texts) this.#whole.add(each);
    this.#length += text.length;
    this.#hasEscapes ||= text.includes(ESCAPED);
    this.#hasEscapedSlashes ||= text.includes(ESCAPED_SLASH);
  }

  /** Whether a text is one of them as it is. */
  #isAmong(text: string): boolean {
    const isCompared = text.length >= LONG && this.#texts.length <= MAX_COMPARED;
    return isCompared ? this.#texts.includes(text) : this.#whole.has(text);
  }

  /** Whether a plain text in the lines and the JSON of the texts is found sooner in the texts themselves. */
  #isSoonReadThrough(text: string): boolean {
    if (this.#length > MAX_READ_THROUGH || this.#hasEscapes) return false;
    return !this.#hasEscapedSlashes || !text.includes('/');
  }

  /** Looks for JSON in the texts that were added since the last time, which adds more; gives whether there were any. */
  #open(): boolean {
    const before = this.#opened;
    for (; this.#opened < this.#texts.length; this.#opened++) {
      const inside = jsonIn(this.#texts[this.#opened] ?? '');
      if (inside !== undefined) this.add(inside);
    }
    return this.#opened > before;
  }

  /** Looks into the lines of the texts that were added since the last time. */
  #index(): void {
    this.#open();
    for (; this.#indexed < this.#texts.length; this.#indexed++)
      this.#lookInto(this.#texts[this.#indexed] ?? '');
  }

  #lookInto(text: string): void {
    everyLine(text, (line) => {
      this.#lines.add(line);
      return true;
    });
    const encoded = /^data:[^,]{0,100};base64,/.exec(text);
    if (encoded) this.#lines.add(text.slice(encoded[0].length));
  }

  #standsWithin(text: string): boolean {
    for (const whole of this.#texts) {
      if (whole.length <= text.length) continue;
      if (this.#left < whole.length) return false;
      this.#left -= whole.length;
      if (whole.includes(text)) return true;
    }
    return false;
  }
}

/** No text that says a time, and nothing else, is longer, in characters. */
const LONGEST_TIME = 64;

/** The time that a text says; undefined for an id, whatever its digits, and for any other text. */
function timeOf(text: string): number | undefined {
  if (text.length > LONGEST_TIME) return undefined;
  return text.length === UUID_LENGTH && UUID.test(text) ? undefined : time(text);
}

/** The object or list that a text is as JSON; undefined for any other text. */
export function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text) || nestsDeeper(text)) return undefined;
  try {
    return jsonValue(text) as object;
  } catch {
    // A text that begins and ends like JSON is still a text.
    return undefined;
  }
}

/** Whether a test holds for every line of a text, without the white space around it; blank lines are left out. */
export function everyLine(text: string, test: (line: string) => boolean): boolean {
  for (let start = 0; start <= text.length;) {
    const end = lineEnd(text, start);
    const line = text.slice(start, end).trim();
    if (line !== '' && !test(line)) return false;
    start = end + 1;
  }
  return true;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

import { isObject } from '../../core/message.js';
import type { ProblemSink } from './entries.js';

/**
 * The member of a line of a recording that says that its long texts are written as lists of the names of their pieces, with the
 * pieces that stand in no line before: `{"name": "text"}`.
 */
export const PIECES = 'textPieces';

/** The only member of what stands in the place of such a text: the names of its pieces, in order. */
export const MADE_OF = 'madeOfPieces';

/** How many characters of pieces whoever writes counts on to be known; then it begins anew. */
export const MAX_KNOWN = 8 * 1024 * 1024;

/** How many characters whoever reads holds before it forgets those before them. */
const MAX_HELD = 2 * MAX_KNOWN;

const MISSING = 'Texts of this line stand in lines before it that are not there.';

/** Puts long texts of the lines of a recording together again, line by line, in order. */
export class TextsOfPieces {
  #now = new Map<string, string>();
  #held = 0;
  /** Those before the ones of now. */
  #before: ReadonlyMap<string, string> = new Map();
  #missing = 0;

  /** Whether a value is a line with texts in pieces. */
  static isIn(value: unknown): value is Readonly<Record<string, unknown>> {
    return isObject(value) && Object.hasOwn(value, PIECES) && isObject(value[PIECES]);
  }

  /** A line with whole texts. What stands in no line that was read is told. */
  whole(line: Readonly<Record<string, unknown>>, sink: ProblemSink, number?: number): unknown {
    const { [PIECES]: pieces, ...rest } = line;
    if (this.#held > MAX_HELD) {
      this.#before = this.#now;
      this.#now = new Map();
      this.#held = 0;
    }
    for (const [name, text] of Object.entries(isObject(pieces) ? pieces : {}))
      if (typeof text === 'string') {
        this.#now.set(name, text);
        this.#held += text.length;
      }
    this.#missing = 0;
    const whole = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, this.#put(each)]));
    if (this.#missing > 0) sink.problem('error', MISSING, number);
    return whole;
  }

  #put(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#put(each));
    if (!isObject(value)) return value;
    const names = namesIn(value);
    if (names) return names.map((name) => this.#piece(name)).join('');
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#put(each)]));
  }

  #piece(name: string): string {
    const text = this.#now.get(name) ?? this.#before.get(name);
    if (text === undefined) this.#missing++;
    return text ?? '';
  }
}

/** The names of the pieces of a text that a value stands for; undefined where it is nothing of that kind. */
export function namesIn(value: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const names = value[MADE_OF];
  return Array.isArray(names) &&
    Object.keys(value).length === 1 &&
    names.every((name) => typeof name === 'string')
    ? names
    : undefined;
}

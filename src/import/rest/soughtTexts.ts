import { time } from '../reading/fields.js';
import { referredIn, type LostText } from './lostTexts.js';
import { everyLine, jsonIn, MAX_DEPTH, MAX_SEARCHED } from './standingTexts.js';

/**
 * Which of a few texts and numbers stand in any number of records, of which none is held. What counts as the same is what
 * does for `StandingTexts`.
 */
export class SoughtTexts {
  readonly #texts = new Map<string, boolean>();
  readonly #lines = new Map<string, boolean>();
  readonly #numbers = new Map<number, boolean>();
  /** Texts that may stand within longer ones. */
  readonly #pieces = new Set<string>();
  #left = MAX_SEARCHED;

  constructor(sought: Iterable<LostText>) {
    for (const { value } of sought) {
      if (typeof value === 'number') {
        this.#seekTime(value);
        this.#numbers.set(value, false);
        this.#lines.set(String(value), false);
      } else for (const text of new Set([value, referredIn(value)])) this.#seekText(text);
    }
  }

  /** Looks for them in a value: in every text and number, in JSON within texts, and in keys of objects. */
  lookIn(value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === 'string') this.#lookIntoText(value);
    else if (typeof value === 'number') this.#find(this.#numbers, value);
    else if (Array.isArray(value)) for (const each of value) this.lookIn(each, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        this.#find(this.#texts, key);
        this.lookIn((value as Record<string, unknown>)[key], depth + 1);
      }
    }
  }

  /** Whether one of them was found. */
  has({ value, isPart }: LostText): boolean {
    if (isPart === true)
      return this.#texts.get(String(value)) === true || this.#lines.get(String(value)) === true;
    if (typeof value !== 'number') return this.#hasText(value) || this.#hasText(referredIn(value));
    return (
      this.#hasTime(value) || this.#numbers.get(value) === true || this.#lines.get(String(value)) === true
    );
  }

  #seekText(text: string): void {
    this.#seekTime(text);
    this.#texts.set(text, false);
    this.#pieces.add(text.trim());
    everyLine(text, (line) => this.#lines.set(line, false).size > 0);
  }

  #seekTime(value: string | number): void {
    const at = time(value);
    if (at !== undefined) this.#numbers.set(at, false);
  }

  #hasText(text: string): boolean {
    return (
      this.#hasTime(text) ||
      this.#texts.get(text) === true ||
      everyLine(text, (line) => this.#lines.get(line) === true) ||
      !this.#pieces.has(text.trim())
    );
  }

  #hasTime(value: string | number): boolean {
    const at = time(value);
    return at !== undefined && this.#numbers.get(at) === true;
  }

  #lookIntoText(text: string): void {
    this.#find(this.#texts, text);
    everyLine(text, (line) => this.#find(this.#lines, line));
    const encoded = /^data:[^,]{0,100};base64,/.exec(text);
    if (encoded) this.#find(this.#lines, text.slice(encoded[0].length));
    for (const piece of this.#pieces) {
      if (text.length <= piece.length) continue;
      if (this.#left < text.length) break;
      this.#left -= text.length;
      if (text.includes(piece)) this.#pieces.delete(piece);
    }
    const inside = jsonIn(text);
    if (inside !== undefined) this.lookIn(inside);
  }

  #find<Of>(sought: Map<Of, boolean>, found: Of): true {
    if (sought.has(found)) sought.set(found, true);
    return true;
  }
}

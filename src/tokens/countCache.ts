/** Texts below this many UTF-16 units are counted sooner than they are found. */
const SHORTEST = 128;
/** How many UTF-16 units of text are kept, all together. */
const CAPACITY = 4 * 1024 * 1024;

/** The counts of the texts that were asked for lately, by content; the oldest go when there are too many. */
export class CountCache {
  readonly #counts = new Map<string, number>();
  readonly #count: (text: string) => number;
  #units = 0;

  /** Asks `count` for the tokens of texts that it does not know. */
  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  count(text: string): number {
    if (text.length < SHORTEST || text.length > CAPACITY) return this.#count(text);
    const known = this.#counts.get(text);
    const tokens = known ?? this.#count(text);
    if (known === undefined) this.#units += text.length;
    else this.#counts.delete(text);
    this.#counts.set(text, tokens);
    for (const [oldest] of this.#counts) {
      if (this.#units <= CAPACITY) break;
      this.#counts.delete(oldest);
      this.#units -= oldest.length;
    }
    return tokens;
  }
}

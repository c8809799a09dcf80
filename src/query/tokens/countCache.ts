/** Texts shorter than this many UTF-16 code units are counted faster than they are looked up. */
const SHORTEST = 128;
/** The total length of the texts kept, in UTF-16 code units. */
const CAPACITY = 4 * 1024 * 1024;

/** The token counts of recent texts, by content; the oldest are dropped when there are too many. */
export class CountCache {
  readonly #counts = new Map<string, number>();
  readonly #count: (text: string) => number;
  #units = 0;

  /** `count` counts texts that are not in the cache. */
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

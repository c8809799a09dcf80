/** Among how many of the latest values an equal one is looked for before its key is made, which costs more. */
const RECENT = 16;

/** Repeated values, each kept once and identified by a number; `isSame` and equal keys mean the same. */
export class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();
  /** The numbers of the latest values, the very last one first. */
  readonly #recent: number[] = [];
  readonly #isSame: (one: T, other: T) => boolean;
  readonly #keyOf: (value: T) => string;
  readonly #copyOf: (value: T) => T;

  /** `copyOf`: what is kept of a value that may be written again. */
  constructor(
    isSame: (one: T, other: T) => boolean,
    keyOf: (value: T) => string,
    copyOf: (value: T) => T = (value) => value,
  ) {
    this.#isSame = isSame;
    this.#keyOf = keyOf;
    this.#copyOf = copyOf;
  }

  numberOf(value: T): number {
    const recent = this.#recent;
    for (let at = 0; at < recent.length; at++) {
      const number = recent[at] ?? 0;
      if (!this.#isSame(this.at(number), value)) continue;
      // One step nearer: what comes often is found soon, and what comes in turn moves nothing far.
      if (at > 0) {
        recent[at] = recent[at - 1] ?? 0;
        recent[at - 1] = number;
      }
      return number;
    }
    const key = this.#keyOf(value);
    const number = this.#numbers.get(key) ?? this.all.push(this.#copyOf(value)) - 1;
    this.#numbers.set(key, number);
    recent.unshift(number);
    recent.length = Math.min(recent.length, RECENT);
    return number;
  }

  at(number: number): T {
    const value = this.all[number];
    if (value === undefined) throw new RangeError(`nothing has the number ${number}`);
    return value;
  }
}

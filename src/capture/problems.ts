import { systemTimers, type Timers } from '../core/timers.js';

/** How many problems are told one by one within a while; of further ones only the number is. */
const TOLD_ONE_BY_ONE = 5;
/** The while, in milliseconds. */
const WHILE_MS = 10_000;
/** The most characters of one. */
const MAX_LENGTH = 500;

/** Tells problems without letting a sender flood whoever reads them. */
export class Problems {
  readonly #tell: (words: string) => void;
  readonly #timers: Timers;
  #count = 0;

  constructor(tell: (words: string) => void, timers: Timers = systemTimers) {
    this.#tell = tell;
    this.#timers = timers;
  }

  add(words: string): void {
    if (this.#count === 0) this.#timers.after(WHILE_MS, () => this.#end());
    this.#count += 1;
    if (this.#count <= TOLD_ONE_BY_ONE)
      this.#tell(words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words);
  }

  #end(): void {
    const more = this.#count - TOLD_ONE_BY_ONE;
    this.#count = 0;
    if (more > 0) this.#tell(`${more} more problems were not told one by one.`);
  }
}

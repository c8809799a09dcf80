import { systemTimers, type Timers } from '../core/timers.js';

/** How many problems are told one by one within a while; of further ones only the number is. */
const TOLD_ONE_BY_ONE = 5;
/** The while, in milliseconds. */
const WHILE_MS = 10_000;
/** The most characters of one. */
const MAX_LENGTH = 500;

/** How many reasons are told apart. */
const MAX_REASONS = 50;

/** Counts problems by their reason: whoever is refused once asks again and again. */
export class ProblemCounts {
  readonly #byReason = new Map<string, { readonly words: string; count: number }>();
  #others = 0;

  add(words: string): void {
    // Which request it was and how many bytes tell one from another, not why.
    const reason = words.replace(/^[A-Z]{1,20} \S*: /, '').replace(/\d+/g, '#');
    const known = this.#byReason.get(reason);
    if (known) known.count += 1;
    else if (this.#byReason.size < MAX_REASONS)
      this.#byReason.set(reason, { words: shortened(words), count: 1 });
    else this.#others += 1;
  }

  /** A sentence for each reason, with the first of its problems and how many there are. */
  get lines(): readonly string[] {
    const told = [...this.#byReason.values()].map(({ words, count }) =>
      count === 1 ? words : `${words} (${count} times)`,
    );
    return this.#others === 0 ? told : [...told, `${this.#others} more problems for other reasons.`];
  }
}

/** Tells problems without letting a sender flood whoever reads them. */
export class Problems {
  readonly #tell: (words: string) => void;
  readonly #timers: Timers;
  #count = 0;
  #more = new ProblemCounts();

  constructor(tell: (words: string) => void, timers: Timers = systemTimers) {
    this.#tell = tell;
    this.#timers = timers;
  }

  add(words: string): void {
    if (this.#count === 0) this.#timers.after(WHILE_MS, () => this.#end());
    this.#count += 1;
    if (this.#count <= TOLD_ONE_BY_ONE) this.#tell(shortened(words));
    else this.#more.add(words);
  }

  #end(): void {
    const more = this.#count - TOLD_ONE_BY_ONE;
    const { lines } = this.#more;
    this.#count = 0;
    this.#more = new ProblemCounts();
    if (more > 0) this.#tell(`${more} more problems were not told one by one: ${lines.join(' ')}`);
  }
}

function shortened(words: string): string {
  return words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words;
}

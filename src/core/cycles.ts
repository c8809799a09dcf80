/** The longest cycle of steps that is looked for. */
export const MAX_CYCLE = 6;
/** How often a step, or a short cycle of them, follows itself before that counts as a loop. */
export const LOOP_TIMES = 3;

/**
 * Notices when the same step, or the same short cycle of steps, follows itself again and again. The cost of a step does not
 * depend on how many there were.
 */
export class CycleDetector<Step = string> {
  readonly #isSame: (one: Step, other: Step) => boolean;
  /** The last steps, newest last, at most `MAX_CYCLE` of them. */
  readonly #last: Step[] = [];
  /** For each length of a cycle: how many steps in a row equal the one so many steps before. */
  readonly #equal = new Array<number>(MAX_CYCLE).fill(0);

  constructor(isSame: (one: Step, other: Step) => boolean = Object.is) {
    this.#isSame = isSame;
  }

  /** Takes one more step in; gives the length of the shortest cycle that has now occurred `times` times or more, else 0. */
  add(step: Step, times: number): number {
    let found = 0;
    for (let period = 1; period <= MAX_CYCLE; period++) {
      const before = this.#last[this.#last.length - period];
      const count =
        before !== undefined && this.#isSame(before, step) ? (this.#equal[period - 1] ?? 0) + 1 : 0;
      this.#equal[period - 1] = count;
      if (found === 0 && count >= (times - 1) * period) found = period;
    }
    this.#last.push(step);
    if (this.#last.length > MAX_CYCLE) this.#last.shift();
    return found;
  }
}

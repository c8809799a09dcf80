/**
 * Numbers the approvals that wait for a person at the same time: 1 where no other waits, else one more than the latest.
 * Whoever shares an instance has no number twice.
 */
export class ApprovalNumbers {
  #waiting = 0;
  #last = 0;

  /** How many have a number now. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The number of one more that waits, until it is given back. */
  take(): number {
    this.#last = this.#waiting === 0 ? 1 : this.#last + 1;
    this.#waiting++;
    return this.#last;
  }

  /** To be called once for each number that was taken. */
  release(): void {
    this.#waiting--;
  }
}

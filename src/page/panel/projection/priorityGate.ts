/** What people wait for on one thread: whoever reads for all of a transcript lets it pass. */
export class PriorityGate {
  #running = 0;
  #waiting: (() => void)[] = [];

  /** Runs something that a person waits for; it must not wait for what lets it pass. */
  async run<T>(errand: () => Promise<T>): Promise<T> {
    const leave = this.hold();
    try {
      return await errand();
    } finally {
      leave();
    }
  }

  /** Begins something that a person waits for; gives what is to be called, once, when it ends. */
  hold(): () => void {
    this.#running++;
    return () => {
      if (--this.#running === 0) for (const go of this.#waiting.splice(0)) go();
    };
  }

  /** Resolves when nobody waits for anything. */
  async done(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

import type { JournalState } from '../../ports/journal.js';

/** Those who wait until their records are durable. */
export class FlushWaiters {
  #waiting: { readonly upTo: number; readonly resolve: (state: JournalState) => void }[] = [];

  /** Whether anybody waits. */
  get some(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when the first `upTo` records are durable, or something keeps them from it. */
  wait(upTo: number): Promise<JournalState> {
    return new Promise((resolve) => this.#waiting.push({ upTo, resolve }));
  }

  /** Answers those who wait for no more than the first `synced` records; without a number everybody. */
  answer(state: JournalState, synced = Number.POSITIVE_INFINITY): void {
    const answered = this.#waiting.filter(({ upTo }) => upTo <= synced);
    this.#waiting = this.#waiting.filter(({ upTo }) => upTo > synced);
    for (const { resolve } of answered) resolve(state);
  }
}

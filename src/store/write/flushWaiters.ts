import type { JournalState } from '../../core/ports/journal.js';

/** The callers that wait for their records to be durable. */
export class FlushWaiters {
  #waiting: { readonly upTo: number; readonly resolve: (state: JournalState) => void }[] = [];

  /** Whether anybody waits. */
  get some(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when the first `upTo` records are durable, or something prevents that. */
  wait(upTo: number): Promise<JournalState> {
    return new Promise((resolve) => this.#waiting.push({ upTo, resolve }));
  }

  /** Answers the callers that wait for no more than the first `synced` records; without a number, all. */
  answer(state: JournalState, synced = Number.POSITIVE_INFINITY): void {
    const answered = this.#waiting.filter(({ upTo }) => upTo <= synced);
    this.#waiting = this.#waiting.filter(({ upTo }) => upTo > synced);
    for (const { resolve } of answered) resolve(state);
  }
}

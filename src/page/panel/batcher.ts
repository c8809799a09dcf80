import type { Disposable } from '../../core/event.js';

/** How long events are collected before they are sent, in milliseconds. */
export const BATCH_MS = 33;

/**
 * Calls `flush` soon after it was poked, once for any number of pokes, and never before the other side has taken the
 * previous flush: however fast things happen, at most one batch is in flight.
 */
export class Batcher implements Disposable {
  readonly #flush: () => PromiseLike<unknown>;
  readonly #delay: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending = false;
  #again = false;
  #stopped = false;
  #epoch = 0;

  /** `delay`: how long pokes are collected, in milliseconds. */
  constructor(flush: () => PromiseLike<unknown>, delay = BATCH_MS) {
    this.#flush = flush;
    this.#delay = delay;
  }

  poke(): void {
    if (this.#stopped) return;
    if (this.#sending) this.#again = true;
    else this.#timer ??= setTimeout(() => void this.#run(), this.#delay);
  }

  /** Forgets a batch that is still in flight, for a new other side. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = false;
    this.#again = false;
    this.#epoch++;
  }

  dispose(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#sending = true;
    const epoch = this.#epoch;
    await this.#flush();
    if (epoch !== this.#epoch) return;
    this.#sending = false;
    if (!this.#again) return;
    this.#again = false;
    this.poke();
  }
}

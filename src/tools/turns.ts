import { setImmediate } from 'node:timers/promises';

/** A piece of long work may hold the process this long, in milliseconds, before others get their turn. */
const SLICE_MS = 10;

/** Cuts long work on the main thread into slices. */
export class Turns {
  #sliceEnd = performance.now() + SLICE_MS;

  /** Waits for everybody else's turn when this slice is over; otherwise returns at once. */
  giveWay(): Promise<void> | undefined {
    return performance.now() < this.#sliceEnd ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await setImmediate();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}

/** Lets timers, input and output have their turn; resolves afterwards. Needs Node. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Cuts long work on one thread into slices. Everybody who works with the same slices yields together: no amount of their
 * work keeps the event loop for longer than a slice.
 */
export class TimeSlices {
  readonly #sliceMs: number;
  #began = performance.now();
  #yielding: Promise<void> | undefined;

  /** `sliceMs`: how long work may go on before others get their turn, in milliseconds. */
  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  /** A promise to await before going on where the slice is over; else undefined, so that going on costs nothing. */
  whenOver(): Promise<void> | undefined {
    if (performance.now() - this.#began < this.#sliceMs) return undefined;
    this.#yielding ??= yieldToEventLoop().then(() => {
      this.#began = performance.now();
      this.#yielding = undefined;
    });
    return this.#yielding;
  }
}

import { messageOf } from '../core/text.js';

/** The result of `AbortGate.race` when the signal is aborted first. */
export const ABORTED: unique symbol = Symbol('aborted');

/**
 * Lets many waits end early through one listener on one signal. `Promise.race` with a promise that lives as
 * long as a call would keep a reaction for each wait; this keeps nothing once a wait is over.
 */
export class AbortGate {
  readonly signal: AbortSignal;
  readonly #waiting = new Set<() => void>();
  readonly #onAbort = (): void => {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  };

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Calls `act` once when the signal is aborted, at once if it already is, unless the returned function is called before. */
  onAbort(act: () => void): () => void {
    if (this.signal.aborted) act();
    else this.#waiting.add(act);
    return () => void this.#waiting.delete(act);
  }

  /** Settles as `promise` does, with the words of its error, or resolves with `ABORTED` at once when the signal is aborted. */
  race<T>(promise: Promise<T>): Promise<T | typeof ABORTED> {
    return new Promise((resolve, reject) => {
      const leave = this.onAbort(() => resolve(ABORTED));
      promise.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error: unknown) => {
          leave();
          reject(new Error(messageOf(error), { cause: error }));
        },
      );
    });
  }

  /** Stops listening; waits in progress continue without the signal. */
  dispose(): void {
    this.signal.removeEventListener('abort', this.#onAbort);
    this.#waiting.clear();
  }
}

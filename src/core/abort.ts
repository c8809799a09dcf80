import { messageOf } from './text.js';

/** What a signal must have to be waited for; signals of libraries that bring their own class have it too. */
export type AbortSource = Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>;

/**
 * Calls `act` once when the signal is aborted, at once if it already is. The returned function stops waiting for it and
 * leaves no listener behind; calling it later, or a second time, does nothing. Without a signal nothing ever happens.
 */
export function onAbort(signal: AbortSource | undefined, act: () => void): () => void {
  if (signal?.aborted === true) {
    act();
    return () => undefined;
  }
  signal?.addEventListener('abort', act, { once: true });
  return () => signal?.removeEventListener('abort', act);
}

/** What a race with a signal resolves with when the signal is aborted first. */
export const ABORTED: unique symbol = Symbol('aborted');

/**
 * Lets many waits end early through one listener on one signal. `Promise.race` with a promise that lives as
 * long as a call would keep a reaction for each wait; this keeps nothing once a wait is over.
 */
export class AbortGate {
  readonly signal: AbortSignal;
  readonly #waiting = new Set<() => void>();
  readonly #leave: () => void;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.#leave = onAbort(signal, () => {
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    });
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
    this.#leave();
    this.#waiting.clear();
  }
}

/** One wait of an {@link AbortGate}: settles as `work` does, or resolves with `ABORTED` as soon as the signal is aborted. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof ABORTED> {
  const gate = new AbortGate(signal);
  try {
    return await gate.race(work);
  } finally {
    gate.dispose();
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as the signal is aborted. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal?.reason as Error));
    work.finally(leave).then(resolve, reject);
  });
}

/** A controller that is aborted together with `outer`, with its reason, until `unlink` is called. */
export function linkedController(outer: AbortSignal | undefined): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  return { controller, unlink: onAbort(outer, () => controller.abort(outer?.reason)) };
}

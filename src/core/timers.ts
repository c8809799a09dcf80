import type { Disposable } from './event.js';

/** Where delays come from, so that a test need not wait. */
export interface Timers {
  /** Calls `act` once, after `ms` milliseconds at the earliest; disposing before prevents it. */
  after(ms: number, act: () => void): Disposable;
}

export const systemTimers: Timers = {
  after(ms, act) {
    const handle = setTimeout(act, ms);
    return { dispose: () => clearTimeout(handle) };
  },
};

/** Resolves when the work has ended, well or not, but not later than after `ms` milliseconds. Never rejects. */
export function settledWithin(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.after(ms, resolve);
    const end = () => {
      timer.dispose();
      resolve();
    };
    work.then(end, end);
  });
}

/** Resolves after `ms` milliseconds, or at once when the signal is aborted. Never rejects. */
export function delay(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const stop = () => {
      timer.dispose();
      resolve();
    };
    const timer = timers.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

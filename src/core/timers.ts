import { onAbort } from './abort.js';
import type { Disposable } from './event.js';

/** The source of delays, so that tests need not wait. */
export interface Timers {
  /** Calls `act` once, after at least `ms` milliseconds, unless disposed before. */
  after(ms: number, act: () => void): Disposable;
}

/** The timers of the system. */
export const systemTimers: Timers = {
  after(ms, act) {
    const handle = setTimeout(act, ms);
    return { dispose: () => clearTimeout(handle) };
  },
};

/** Resolves when `work` has settled, or after `ms` milliseconds, whichever is first. Never rejects. */
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

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. Never rejects. */
export function delay(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const timer = timers.after(ms, () => {
      leave();
      resolve();
    });
    const leave = onAbort(signal, () => {
      timer.dispose();
      resolve();
    });
  });
}

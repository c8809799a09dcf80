import type { Disposable } from '../core/event.js';
import type { Timers } from '../core/timers.js';

/** The result of the work, or undefined if it has not settled within `graceMs` milliseconds after the signal's abort. */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  timers: Timers,
  graceMs: number,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | undefined;
    const onAbort = () => {
      timer = timers.after(graceMs, () => resolve(undefined));
    };
    const end = () => {
      signal.removeEventListener('abort', onAbort);
      timer?.dispose();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.finally(end).then(resolve, reject);
  });
}

/** Settles as the work does, or rejects with the signal's reason as soon as that is aborted. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('Stopped.', { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
}

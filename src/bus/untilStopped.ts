import type { Disposable } from '../core/event.js';
import type { Timers } from '../core/timers.js';

/** What the work gives, or undefined if it has not ended `graceMs` milliseconds after the signal was aborted. */
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

/** The work, or the signal's reason as soon as it is aborted, whether the work ends or not. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('Stopped.', { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
}

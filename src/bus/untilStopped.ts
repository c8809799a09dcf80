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

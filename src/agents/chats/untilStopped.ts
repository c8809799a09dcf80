import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import type { Timers } from '../../core/timers.js';

/** The result of the work, or undefined if it has not settled within `graceMs` milliseconds after the signal's abort. */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  timers: Timers,
  graceMs: number,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | undefined;
    const leave = onAbort(signal, () => {
      timer = timers.after(graceMs, () => resolve(undefined));
    });
    const end = () => {
      leave();
      timer?.dispose();
    };
    work.finally(end).then(resolve, reject);
  });
}

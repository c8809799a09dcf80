import type { Timers } from '../../core/timers.js';
import { ABORTED, AbortGate } from '../../runtime/abortGate.js';

export interface Patience {
  readonly signal: AbortSignal;
  /** The longest wait for the next part, in milliseconds. */
  readonly idleMs: number;
  readonly timers: Timers;
}

/**
 * The parts of a stream whose other end may hang: it ends at once when the signal is aborted, and throws where the
 * next part does not come in time. The stream itself is told to end, but nobody waits for that.
 */
export async function* readParts<T>(
  stream: AsyncIterable<T>,
  { signal, idleMs, timers }: Patience,
): AsyncGenerator<T, void> {
  const iterator = stream[Symbol.asyncIterator]();
  const over = new AbortController();
  const stop = (): void => over.abort();
  const gate = new AbortGate(over.signal);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (;;) {
      const timer = timers.after(idleMs, stop);
      const next = await gate.race(iterator.next()).finally(() => timer.dispose());
      if (signal.aborted) return;
      if (next === ABORTED) {
        throw new Error(`The model timed out: it said nothing more for ${idleMs / 1000} s.`);
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    gate.dispose();
    void end(iterator);
  }
}

async function end(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // How a stream ends that nobody reads any more is no news.
  }
}

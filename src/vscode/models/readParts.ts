import type { Timers } from '../../core/timers.js';
import { ABORTED, AbortGate } from '../../runtime/abortGate.js';

/** How long a stream of parts is waited for. */
export interface Patience {
  readonly signal: AbortSignal;
  /** The longest wait for the next part, in milliseconds. */
  readonly idleMs: number;
  readonly timers: Timers;
}

/**
 * The parts of a stream whose other end may hang: it ends at once when the signal is aborted, and throws where the
 * next part does not come in time. The stream itself is told to end, but nobody waits for that. Whatever came before
 * a failure is given before it is thrown, however slowly it is read.
 */
export async function* readParts<T>(
  stream: AsyncIterable<T>,
  { signal, idleMs, timers }: Patience,
): AsyncGenerator<T, void> {
  const intake = new Intake(stream[Symbol.asyncIterator]());
  const over = new AbortController();
  const stop = (): void => over.abort();
  const gate = new AbortGate(over.signal);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (;;) {
      const parts = intake.take();
      for (const part of parts) {
        if (over.signal.aborted) return;
        yield part;
      }
      if (parts.length > 0) continue;
      if (intake.hasEnded) {
        intake.throwFailure();
        return;
      }
      const timer = timers.after(idleMs, stop);
      const waited = await gate.race(intake.next()).finally(() => timer.dispose());
      if (signal.aborted) return;
      if (waited === ABORTED) {
        throw new Error(`The model timed out: it said nothing more for ${idleMs / 1000} s.`);
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    gate.dispose();
    void intake.leave();
  }
}

/** Takes from a stream as soon as it gives: VS Code throws away what nobody has taken yet when a model fails. */
class Intake<T> {
  hasEnded = false;
  readonly #iterator: AsyncIterator<T>;
  #arrived: T[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #left = false;

  constructor(iterator: AsyncIterator<T>) {
    this.#iterator = iterator;
    void this.#read();
  }

  /** What has come since the last time. */
  take(): readonly T[] {
    const taken = this.#arrived;
    this.#arrived = [];
    return taken;
  }

  /** Resolves when there is something to take, or the stream has ended. */
  next(): Promise<void> {
    if (this.hasEnded || this.#arrived.length > 0) return Promise.resolve();
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Throws what the stream failed with, if it did. */
  throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async leave(): Promise<void> {
    this.#left = true;
    try {
      await this.#iterator.return?.();
    } catch {
      // How a stream ends that nobody reads any more is no news.
    }
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const next = await this.#iterator.next();
        if (next.done === true || this.#left) break;
        this.#arrived.push(next.value);
        this.#wake?.();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.hasEnded = true;
    this.#wake?.();
  }
}

import { t } from '../../core/l10n.js';
import type { Timers } from '../../core/timers.js';
import { ABORTED, AbortGate, linkedController } from '../../core/abort.js';

/** How long a stream of parts is waited for. */
export interface ReadOptions {
  readonly signal: AbortSignal;
  /** The longest wait for the next part, in milliseconds. */
  readonly idleMs: number;
  readonly timers: Timers;
}

/**
 * Reads a stream whose producer may hang: ends at once when the signal is aborted, and throws where the next part does
 * not arrive in time. The stream itself is cancelled, but not waited for. All parts that arrived before a failure are
 * given before it is thrown, however slowly they are consumed.
 */
export async function* readParts<T>(
  stream: AsyncIterable<T>,
  { signal, idleMs, timers }: ReadOptions,
): AsyncGenerator<T, void> {
  const intake = new Intake(stream[Symbol.asyncIterator]());
  const { controller: over, unlink } = linkedController(signal);
  const gate = new AbortGate(over.signal);
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
      const timer = timers.after(idleMs, () => over.abort());
      const waited = await gate.race(intake.next()).finally(() => timer.dispose());
      if (signal.aborted) return;
      if (waited === ABORTED) {
        throw new Error(t`The model timed out: it said nothing more for ${idleMs / 1000} s.`);
      }
    }
  } finally {
    unlink();
    gate.dispose();
    void intake.leave();
  }
}

/** Reads a stream eagerly, because VS Code discards unread parts when a model fails. */
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

  /** The parts that have arrived since the last call. */
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

  /** Throws the stream's error, if it failed. */
  throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async leave(): Promise<void> {
    this.#left = true;
    try {
      await this.#iterator.return?.();
    } catch {
      // How an abandoned stream ends does not matter.
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

import { t } from '../../core/l10n.js';
import { type Timers, settledWithin } from '../../core/timers.js';
import { ABORTED, AbortGate, linkedController } from '../../core/abort.js';
import { textOf, type ChatMessage } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';

/** How long a count may take before it is estimated, in milliseconds. */
const MAX_WAIT_MS = 2_000;

/** The assumed number of UTF-16 code units per token. */
const UNITS = 4;

/** Counts the tokens of one text. */
type CountTokens = (text: string) => PromiseLike<number>;

/**
 * The usage of requests to a model that reports none. Counted by the model's own counter, each message once; where that
 * fails or hangs, tokens are estimated from then on. Never rejects: an answer must not depend on its usage.
 */
export class LmTokens {
  readonly #count: CountTokens;
  readonly #timers: Timers;
  readonly #known = new WeakMap<ChatMessage, number>();
  #guesses = false;

  constructor(count: CountTokens, timers: Timers) {
    this.#count = count;
    this.#timers = timers;
  }

  /** The estimated usage of a request with these messages that was answered by `said`. */
  async usage(messages: readonly ChatMessage[], said: string): Promise<Usage> {
    let inputTokens = 0;
    for (const message of messages) {
      const tokens = this.#known.get(message) ?? (await this.#tokens(textSent(message)));
      this.#known.set(message, tokens);
      inputTokens += tokens;
    }
    return { inputTokens, outputTokens: await this.#tokens(said), estimated: true };
  }

  async #tokens(text: string): Promise<number> {
    let tokens: number | undefined;
    if (!this.#guesses) {
      const counting = this.#counted(text).then((count) => (tokens = count));
      await settledWithin(this.#timers, MAX_WAIT_MS, counting);
      this.#guesses = tokens === undefined;
    }
    return tokens ?? Math.ceil(text.length / UNITS);
  }

  async #counted(text: string): Promise<number | undefined> {
    try {
      const count = await this.#count(text);
      return Number.isFinite(count) && count >= 0 ? count : undefined;
    } catch {
      // An estimate by length replaces it; the usage of these models is an estimate anyway.
      return undefined;
    }
  }
}

function textSent(message: ChatMessage): string {
  const calls = message.tool_calls ?? [];
  return textOf(message.content) + calls.map((call) => call.function.name + call.function.arguments).join('');
}

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

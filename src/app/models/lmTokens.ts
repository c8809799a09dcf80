import { textOf, type ChatMessage } from '../../core/message.js';
import { settledWithin, type Timers } from '../../core/timers.js';
import type { Usage } from '../../core/usage.js';

/** How long a count may take before it is estimated, in milliseconds. */
const MAX_WAIT_MS = 2_000;

/** The assumed number of UTF-16 code units per token. */
const UNITS = 4;

/** Counts the tokens of one text. */
export type CountTokens = (text: string) => PromiseLike<number>;

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

import { orAborted } from '../core/abort.js';
import type { Disposable } from '../core/event.js';
import type { ChatMessage } from '../core/message.js';
import { encodingForModel } from './encodingForModel.js';
import { batchesOf } from './tokenBatches.js';
import type { Countable } from './tokenQuestion.js';
import { TokenThread } from './tokenThread.js';

/** Counts tokens on a worker thread, which starts with the first question. */
export class TokenService implements Disposable {
  readonly #script: URL;
  #thread: TokenThread | undefined;
  #disposed = false;

  /** `script` is the worker's bundle; by default where the build puts it. */
  constructor(script = new URL('./workers/tokens.js', import.meta.url)) {
    this.#script = script;
  }

  /**
   * The tokens of each text in the encoding of a model. Rejects with the signal's reason as soon as that is aborted, and
   * with an error where the thread fails; the next call then starts a new one.
   */
  count(texts: readonly string[], model: string, signal?: AbortSignal): Promise<readonly number[]> {
    return this.#count(texts, model, signal);
  }

  /** The tokens of each whole message (see `countMessageTokens`); otherwise like {@link count}. */
  countMessages(
    messages: readonly ChatMessage[],
    model: string,
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    return this.#count(messages, model, signal);
  }

  /** Ends the thread; pending and later calls reject. */
  dispose(): void {
    this.#disposed = true;
    this.#thread?.stop();
  }

  async #count(
    items: readonly Countable[],
    model: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly number[]> {
    const { encoding } = encodingForModel(model);
    const counts = items.map(() => 0);
    for (const batch of batchesOf(items)) {
      signal?.throwIfAborted();
      const counted = await orAborted(this.#openThread().ask(encoding, batch.items), signal);
      for (const [at, index] of batch.indices.entries()) {
        counts[index] = (counts[index] ?? 0) + (counted[at] ?? 0);
      }
    }
    return counts;
  }

  #openThread(): TokenThread {
    if (this.#disposed) throw new Error('The token counter was closed.');
    if (!this.#thread || this.#thread.ended) this.#thread = new TokenThread(this.#script);
    return this.#thread;
  }
}

import { orAborted } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import { type ChatMessage, textOf } from '../../core/message.js';
import { encodingForModel, type Encoding } from './encodingForModel.js';
import type { Countable, TokenCalls } from './tokenCalls.js';
import { textParts } from './textParts.js';
import { messageOf } from '../../core/text.js';
import { ChannelClosed } from '../../node/portCalls.js';
import { Thread } from '../../node/thread.js';

/** Counts tokens on a worker thread, which starts with the first question. */
export class TokenService implements Disposable {
  readonly #thread: Thread<TokenCalls>;

  /** `script` is the worker's bundle; by default where the build puts it. */
  constructor(script = new URL('./workers/tokens.js', import.meta.url)) {
    this.#thread = new Thread({ name: 'token counter', script });
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
    this.#thread.dispose();
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
      const counted = await orAborted(this.#ask(encoding, batch.items), signal);
      for (const [at, index] of batch.indices.entries()) {
        counts[index] = (counts[index] ?? 0) + (counted[at] ?? 0);
      }
    }
    return counts;
  }

  async #ask(encoding: Encoding, items: readonly Countable[]): Promise<readonly number[]> {
    try {
      return await this.#thread.call('count', encoding, items);
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      const { cause } = error;
      throw new Error(
        cause === undefined
          ? 'The token counter was closed.'
          : `The token counter broke down: ${messageOf(cause)}`,
        { cause },
      );
    }
  }
}

/** How many UTF-16 code units go to the thread at once: about 5 ms of work. */
const BATCH = 256 * 1024;

/** The weight of a message in a batch besides its text, in the same unit. */
const MESSAGE = 256;

/** Items that go to the thread together, with the index of the original item of each. */
interface Batch {
  readonly items: Countable[];
  readonly indices: number[];
}

/**
 * Items in order, in batches between which a question can be cancelled and others get their turn. A long text is split
 * into parts whose counts are to be added up.
 */
function* batchesOf(items: readonly Countable[]): Generator<Batch> {
  let batch: Batch = { items: [], indices: [] };
  let weight = 0;
  for (const [index, item] of items.entries()) {
    for (const part of typeof item === 'string' ? textParts(item, BATCH) : [item]) {
      const added = typeof part === 'string' ? part.length : MESSAGE + textOf(part.content).length;
      if (weight > 0 && weight + added > BATCH) {
        yield batch;
        batch = { items: [], indices: [] };
        weight = 0;
      }
      batch.items.push(part);
      batch.indices.push(index);
      weight += added;
    }
  }
  if (weight > 0) yield batch;
}

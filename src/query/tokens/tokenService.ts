import { orAborted } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import { type ChatMessage, textOf } from '../../core/message.js';
import { encodingForModel, type Encoding } from './encodingForModel.js';
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

/** Something whose tokens can be counted: a text, or a whole message (see `countMessageTokens`). */
export type Countable = string | ChatMessage;

/** What the thread that counts answers. */
export interface TokenCalls {
  /** The tokens of each item, in their order. */
  count(encoding: Encoding, items: readonly Countable[]): Promise<readonly number[]>;
}

const SPACE = 0x20;
const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;

/**
 * Cuts a text into parts of about `size` UTF-16 code units where every encoding ends a piece, so that the tokens of the
 * parts are those of the whole: before a space that follows a visible ASCII character. Where there is none, a part is
 * longer.
 */
export function* textParts(text: string, size: number): Generator<string> {
  let from = 0;
  while (text.length - from > size) {
    const cut = cutNear(text, from, from + size);
    yield text.slice(from, cut);
    from = cut;
  }
  if (from < text.length) yield text.slice(from);
}

/** The last possible cut at or before `near`, else the first after it, else the text's end. */
function cutNear(text: string, from: number, near: number): number {
  for (let at = near; at > from; at--) if (isCut(text, at)) return at;
  for (let at = near + 1; at < text.length; at++) if (isCut(text, at)) return at;
  return text.length;
}

function isCut(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== SPACE) return false;
  const before = text.charCodeAt(at - 1);
  return before >= FIRST_VISIBLE && before <= LAST_VISIBLE;
}

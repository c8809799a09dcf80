import { orAborted } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import { type ChatMessage, textOf } from '../../core/message.js';
import { encodingForModel, type Encoding } from './encodingForModel.js';
import type { Countable, TokenAnswer, TokenQuestion } from './tokenQuestion.js';
import { textParts } from './textParts.js';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';

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

interface Waiting {
  readonly resolve: (counts: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** A worker thread and its open questions. It keeps the process alive only while there are any. */
class TokenThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended = false;

  /** Starts a thread; `script` is the worker's bundle. */
  constructor(script: URL) {
    this.#worker = new Worker(script, { name: 'token counter', execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (answer: TokenAnswer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(`The token counter broke down: ${messageOf(error)}`));
    this.#worker.on('exit', (code) => this.#end(`The token counter ended with code ${code}.`));
  }

  /** Whether it accepts no more questions. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The tokens of each item; rejects where the thread fails or ends. Must not be called once it has ended. */
  ask(encoding: Encoding, items: readonly Countable[]): Promise<readonly number[]> {
    const question: TokenQuestion = { id: ++this.#lastId, encoding, items };
    return new Promise((resolve, reject) => {
      // Throws where an item cannot be cloned; then there is nothing to wait for.
      this.#worker.postMessage(question);
      this.#waiting.set(question.id, { resolve, reject });
      this.#worker.ref();
    });
  }

  /** Ends the thread; open questions reject. */
  stop(): void {
    this.#end('The token counter was closed.');
    void this.#worker.terminate();
  }

  #take(answer: TokenAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('counts' in answer) waiting?.resolve(answer.counts);
    else waiting?.reject(new Error(answer.problem));
  }

  #end(reason: string): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}

import type { Disposable } from '../core/event.js';
import { encodingForModel } from './encodingForModel.js';
import { textParts } from './textParts.js';
import { TokenThread } from './tokenThread.js';

/** How many UTF-16 units go to the thread at once: about 20 ms of its work. */
const BATCH = 1024 * 1024;

/** Texts that go to the thread together, and which of all texts each belongs to. */
interface Batch {
  readonly texts: string[];
  readonly indices: number[];
}

/** Counts tokens on a thread of its own, which starts with the first question. */
export class TokenService implements Disposable {
  readonly #script: URL;
  #thread: TokenThread | undefined;
  #disposed = false;

  /** Takes where the worker's bundle is; without it, where the build puts it. */
  constructor(script = new URL('./workers/tokens.js', import.meta.url)) {
    this.#script = script;
  }

  /**
   * The tokens of each text in the encoding of a model. Rejects with the signal's reason as soon as it aborts, and in
   * words where the thread cannot tell or breaks down; the next call then has a fresh one.
   */
  async count(texts: readonly string[], model: string, signal?: AbortSignal): Promise<readonly number[]> {
    const { encoding } = encodingForModel(model);
    const counts = texts.map(() => 0);
    for (const batch of batchesOf(texts)) {
      signal?.throwIfAborted();
      const counted = await unlessAborted(this.#openThread().ask(encoding, batch.texts), signal);
      for (const [at, index] of batch.indices.entries())
        counts[index] = (counts[index] ?? 0) + (counted[at] ?? 0);
    }
    return counts;
  }

  /** Ends the thread; whoever waits for it is told. Later calls reject. */
  dispose(): void {
    this.#disposed = true;
    this.#thread?.stop();
  }

  #openThread(): TokenThread {
    if (this.#disposed) throw new Error('The token counter was closed.');
    if (!this.#thread || this.#thread.ended) this.#thread = new TokenThread(this.#script);
    return this.#thread;
  }
}

/** A long text goes in parts, so that between two of them a question can be cancelled and others have their turn. */
function* batchesOf(texts: readonly string[]): Generator<Batch> {
  let batch: Batch = { texts: [], indices: [] };
  let units = 0;
  for (const [index, text] of texts.entries()) {
    for (const part of textParts(text, BATCH)) {
      if (units > 0 && units + part.length > BATCH) {
        yield batch;
        batch = { texts: [], indices: [] };
        units = 0;
      }
      batch.texts.push(part);
      batch.indices.push(index);
      units += part.length;
    }
  }
  if (units > 0) yield batch;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

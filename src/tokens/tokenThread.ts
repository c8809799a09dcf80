import { Worker } from 'node:worker_threads';
import { messageOf } from '../core/text.js';
import type { Encoding } from './encodingForModel.js';
import type { Countable, TokenAnswer, TokenQuestion } from './tokenQuestion.js';

interface Waiting {
  readonly resolve: (counts: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** A worker thread and its open questions. It keeps the process alive only while there are any. */
export class TokenThread {
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

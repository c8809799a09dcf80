import type { Disposable } from '../../core/event.js';
import type { ScanAnswer, ScanTarget } from './scanQuestion.js';
import { brokeDown, ENDED, ScanThread, type Question } from './scanThread.js';

/** How long the thread lives without a question, in milliseconds; its indexes end with it. */
const IDLE_MS = 5 * 60_000;

/** The thread that keeps indexes of conversations, because a person keeps asking about the same one. */
export class IndexedThread implements Disposable {
  readonly #script: URL;
  #thread: ScanThread | undefined;
  /** Resolves when all questions so far are answered or have stopped. */
  #turn: Promise<void> = Promise.resolve();
  /** The signal of the latest question, until it is answered. */
  #open: AbortSignal | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(script: URL) {
    this.#script = script;
  }

  /** Starts indexing a conversation; does nothing after disposal. */
  prepare(target: ScanTarget): void {
    if (this.#isDisposed) return;
    this.#now().prepare(target);
    this.#restLater();
  }

  /**
   * Asks a question about one conversation and passes all answers on, as soon as an aborted earlier question has stopped;
   * false where it is busy with one that is not aborted.
   */
  ask(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): boolean {
    if (this.#open?.aborted === false) return false;
    this.#open = signal;
    this.#turn = this.#turn.then(() => this.#answer(question, signal, take));
    return true;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#rest);
    this.#thread?.stop();
  }

  /** Never rejects, because the next question waits for it. */
  async #answer(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): Promise<void> {
    try {
      if (this.#isDisposed) take({ id: 0, problem: ENDED });
      else if (!signal.aborted) await this.#now().ask(question, signal, take);
    } catch (error) {
      take({ id: 0, problem: brokeDown(error) });
    }
    if (this.#open === signal) this.#open = undefined;
    if (!this.#isDisposed) this.#restLater();
  }

  #now(): ScanThread {
    clearTimeout(this.#rest);
    if (!this.#thread || this.#thread.ended) this.#thread = new ScanThread(this.#script);
    return this.#thread;
  }

  #restLater(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#thread?.stop(), IDLE_MS).unref();
  }
}

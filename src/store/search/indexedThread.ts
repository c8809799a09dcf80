import type { Disposable } from '../../core/event.js';
import type { ScanAnswer, ScanTarget } from './scanQuestion.js';
import { ScanThread, type Question } from './scanThread.js';

/** After so many milliseconds without a question the thread is ended, and its indexes with it. */
const IDLE_MS = 5 * 60_000;

/** The thread that keeps indexes of conversations, because one person asks about the same one again and again. */
export class IndexedThread implements Disposable {
  readonly #script: URL;
  #thread: ScanThread | undefined;
  /** Resolves when the questions so far are answered, or have been told to stop and did. */
  #turn: Promise<void> = Promise.resolve();
  #rest: NodeJS.Timeout | undefined;

  constructor(script: URL) {
    this.#script = script;
  }

  /** Begins to make an index of a conversation. */
  prepare(target: ScanTarget): void {
    this.#now().prepare(target);
    this.#restLater();
  }

  /**
   * Asks a question of one conversation and hands all answers on, at once after one that is not wanted any more; false
   * where it is busy with another that is.
   */
  ask(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): boolean {
    if (this.#thread?.isBusy) return false;
    this.#turn = this.#turn.then(async () => {
      if (signal.aborted) return;
      await this.#now().ask(question, signal, take);
      this.#restLater();
    });
    return true;
  }

  dispose(): void {
    clearTimeout(this.#rest);
    this.#thread?.stop();
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

import { Worker } from 'node:worker_threads';
import { onAbort } from '../../core/abort.js';
import { messageOf } from '../../core/text.js';
import { MAX_TEXT_TEST_MS } from '../../node/patterns/timeGuard.js';
import { PATTERN_TOO_SLOW } from '../../ports/patternMatcher.js';
import {
  CONTROL_LENGTH,
  MATCHING,
  PROGRESS,
  STOP,
  type ScanAnswer,
  type ScanQuestion,
} from './scanQuestion.js';

const LOOK_MS = 50;

/** Tells a person that the search has ended. */
export const ENDED = 'The search was ended.';

/** Tells a person why a search could not continue. */
export function brokeDown(error: unknown): string {
  return `The search broke down: ${messageOf(error)}`;
}

/** A question to the thread, without the fields that `ScanThread` adds. */
export type Question = Omit<ScanQuestion, 'id' | 'control'>;

interface Asked {
  readonly id: number;
  readonly control: Int32Array;
  readonly take: (answer: ScanAnswer) => void;
  /** When the watchdog last saw a record completed, and the count of records then. */
  seenAt: number;
  seen: number;
}

/**
 * A thread that searches conversations, one question at a time. It is terminated when a pattern does not terminate, and
 * then takes no more questions.
 */
export class ScanThread {
  readonly #worker: Worker;
  #lastId = 0;
  #asked: Asked | undefined;
  #ended = false;

  constructor(script: URL) {
    this.#worker = new Worker(script, { name: 'transcript scanner', execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (answer: ScanAnswer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(brokeDown(error)));
    this.#worker.on('exit', () => this.#end(ENDED));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Asks a question and passes all answers on; resolves after the last one, `done` or `problem`. When the signal is
   * aborted, it stops at the next record and answers `done`.
   */
  async ask(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): Promise<void> {
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_LENGTH));
    const id = ++this.#lastId;
    const leave = onAbort(signal, () => void Atomics.store(control, STOP, 1));
    const timer = setInterval(() => this.#look(), LOOK_MS);
    this.#worker.ref();
    await new Promise<void>((resolve) => {
      const takeAll = (answer: ScanAnswer) => {
        take(answer);
        if ('done' in answer || 'problem' in answer) resolve();
      };
      this.#asked = { id, control, take: takeAll, seenAt: performance.now(), seen: 0 };
      try {
        this.#worker.postMessage({ ...question, id, control } satisfies ScanQuestion);
      } catch (error) {
        takeAll({ id, problem: brokeDown(error) });
      }
    });
    this.#asked = undefined;
    clearInterval(timer);
    leave();
    this.#worker.unref();
  }

  /** Ends the thread; an open question is answered with a `problem`. */
  stop(): void {
    this.#end(ENDED);
  }

  #take(answer: ScanAnswer): void {
    if (answer.id === this.#asked?.id) this.#asked.take(answer);
  }

  #look(): void {
    const asked = this.#asked;
    if (!asked) return;
    const now = performance.now();
    const seen = Atomics.load(asked.control, PROGRESS);
    if (seen !== asked.seen || Atomics.load(asked.control, MATCHING) === 0) {
      asked.seen = seen;
      asked.seenAt = now;
    } else if (now - asked.seenAt > MAX_TEXT_TEST_MS) this.#end(PATTERN_TOO_SLOW);
  }

  #end(problem: string): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#worker.terminate();
    this.#asked?.take({ id: this.#asked.id, problem });
  }
}

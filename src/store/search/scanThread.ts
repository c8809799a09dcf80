import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import { STUCK, STUCK_MS } from '../indexed/stuckPattern.js';
import {
  CONTROL_LENGTH,
  MATCHING,
  PROGRESS,
  STOP,
  type ScanAnswer,
  type ScanOrder,
  type ScanQuestion,
  type ScanTarget,
} from './scanQuestion.js';

const LOOK_MS = 50;

/** Tells a person that nobody looks any more. */
export const ENDED = 'The search was ended.';

/** Tells a person why a search could not go on. */
export function brokeDown(error: unknown): string {
  return `The search broke down: ${messageOf(error)}`;
}

/** What is asked of a thread, without what it adds itself. */
export type Question = Omit<ScanQuestion, 'id' | 'control'>;

interface Asked {
  readonly id: number;
  readonly control: Int32Array;
  readonly take: (answer: ScanAnswer) => void;
  /** When the watch last saw a record end, and the count of records then. */
  seenAt: number;
  seen: number;
}

/**
 * A thread that looks through conversations, one question at a time. It is ended when a pattern does not come to an
 * end; then it takes no more questions.
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

  /** Has it make ready, while nobody asks, for questions about a conversation that want an index. */
  prepare(target: ScanTarget): void {
    this.#worker.postMessage({ prepare: target } satisfies ScanOrder);
  }

  /**
   * Asks a question and hands all answers on; resolves after the last one, which says `done` or `problem`. When the
   * signal is aborted it stops at the next record and says that it is done.
   */
  async ask(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): Promise<void> {
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_LENGTH));
    const id = ++this.#lastId;
    const stop = () => void Atomics.store(control, STOP, 1);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
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
    signal.removeEventListener('abort', stop);
    this.#worker.unref();
  }

  /** Ends the thread; a question that is open is answered with words. */
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
    } else if (now - asked.seenAt > STUCK_MS) this.#end(STUCK);
  }

  #end(problem: string): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#worker.terminate();
    this.#asked?.take({ id: this.#asked.id, problem });
  }
}

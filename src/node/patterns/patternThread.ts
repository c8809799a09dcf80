import { Worker } from 'node:worker_threads';
import { onAbort } from '../../core/abort.js';
import { messageOf } from '../../core/text.js';
import {
  PATTERN_TOO_SLOW,
  type PatternAnswer,
  type PatternBounds,
  type PatternMatcher,
  type PatternQuestion,
} from '../../core/ports/patternMatcher.js';

/** How long an idle thread is kept, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Looks for patterns on a thread of their own, one question after another. A question that takes too long ends the
 * thread; the next one gets a new one. The time runs from when the thread has taken the question.
 */
export class PatternThread implements PatternMatcher {
  readonly #script: URL;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** `script` is the worker's bundle; by default where the build puts it. */
  constructor(script = new URL('./workers/patterns.js', import.meta.url)) {
    this.#script = script;
  }

  find(question: PatternQuestion, bounds: PatternBounds): Promise<PatternAnswer> {
    const answer = this.#last.then(() => this.#ask(question, bounds));
    this.#last = answer;
    return answer;
  }

  /** Ends the thread; an open question is answered as cancelled. */
  dispose(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(question: PatternQuestion, { maxMs, signal }: PatternBounds): Promise<PatternAnswer> {
    if (signal?.aborted) return Promise.resolve(CANCELLED);
    clearTimeout(this.#idle);
    return new Promise((resolve) => {
      const worker = (this.#worker ??= this.#start());
      const end = (answer: PatternAnswer): void => {
        clearTimeout(timer);
        leave();
        worker.removeAllListeners();
        worker.unref();
        resolve(answer);
      };
      const drop = (answer: PatternAnswer): void => {
        end(answer);
        this.#drop(worker);
      };
      const timer = setTimeout(() => drop({ ok: false, why: 'tooSlow', message: PATTERN_TOO_SLOW }), maxMs);
      const leave = onAbort(signal, () => drop(CANCELLED));
      worker.on('message', (answer: PatternAnswer) => {
        end(answer);
        this.#idle = setTimeout(() => this.dispose(), IDLE_MS).unref();
      });
      worker.on('error', (error) => drop({ ok: false, why: 'broken', message: messageOf(error) }));
      worker.on('exit', () => drop(CANCELLED));
      worker.ref();
      worker.postMessage(question);
    });
  }

  #start(): Worker {
    return new Worker(this.#script, { name: 'pattern matcher', execArgv: [] });
  }

  #drop(worker: Worker): void {
    // What a thread says that was given up concerns nobody any more.
    worker.on('error', () => undefined);
    void worker.terminate();
    if (this.#worker === worker) this.#worker = undefined;
  }
}

const CANCELLED: PatternAnswer = { ok: false, why: 'cancelled', message: 'The search was cancelled.' };

import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import type { ScanBatch } from '../../ports/transcript.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import { locate } from '../catalog/conversationFolders.js';
import { targetOf, type ScanAnswer, type ScanTarget } from './scanQuestion.js';
import { brokeDown, ENDED, ScanThread, type Question } from './scanThread.js';

/** How long an idle thread lives, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Looks through conversations of one store on threads, which start with the first question; see the methods of the same
 * names in `TranscriptStore`.
 */
export class SearchService implements Disposable {
  readonly #root: string;
  readonly #script: URL;
  readonly #busy = new Set<ScanThread>();
  #idle: ScanThread[] = [];
  #rest: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** `script`: the bundle of `scan.worker.ts`. */
  constructor(root: string, script: URL) {
    this.#root = root;
    this.#script = script;
  }

  async *scan(
    id: string,
    criteria: FilterCriteria,
    signal: AbortSignal,
    from: number,
  ): AsyncGenerator<ScanBatch, void, undefined> {
    const question = { targets: [await this.#target(id)], criteria, from };
    for await (const answer of this.#answers(question, signal)) {
      if ('batch' in answer) yield answer.batch;
    }
  }

  async toolNames(id: string, most: number, signal: AbortSignal): Promise<readonly string[]> {
    const question = { targets: [await this.#target(id)], criteria: {}, from: 0, tools: most };
    let names: readonly string[] = [];
    for await (const answer of this.#answers(question, signal)) {
      if ('tools' in answer) names = answer.tools;
    }
    return names;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#rest);
    for (const thread of this.#busy) thread.stop();
    this.#endIdle();
  }

  async #target(id: string): Promise<ScanTarget> {
    return targetOf(await locate(this.#root, id));
  }

  #endIdle(): void {
    for (const thread of this.#idle) thread.stop();
    this.#idle = [];
  }

  async *#answers(question: Question, signal: AbortSignal): AsyncGenerator<ScanAnswer, void, undefined> {
    const end = new AbortController();
    const queue: ScanAnswer[] = [];
    let wake = (): void => undefined;
    const stop = () => {
      end.abort();
      wake();
    };
    if (signal.aborted) return;
    const leave = onAbort(signal, stop);
    this.#ask(question, end.signal, (answer) => {
      queue.push(answer);
      wake();
    });
    try {
      for (;;) {
        const answer = queue.shift();
        if (end.signal.aborted) return;
        if (!answer) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if ('problem' in answer) throw new Error(answer.problem);
        yield answer;
        if ('done' in answer) return;
      }
    } finally {
      leave();
      end.abort();
    }
  }

  /** Passes the question to an idle thread; a thread that was told to stop may still need a moment. */
  #ask(question: Question, signal: AbortSignal, take: (answer: ScanAnswer) => void): void {
    if (this.#isDisposed) {
      take({ id: 0, problem: ENDED });
      return;
    }
    clearTimeout(this.#rest);
    let thread: ScanThread;
    try {
      thread = this.#idle.pop() ?? new ScanThread(this.#script);
    } catch (error) {
      take({ id: 0, problem: brokeDown(error) });
      return;
    }
    this.#busy.add(thread);
    void thread.ask(question, signal, take).then(() => {
      this.#busy.delete(thread);
      if (!thread.ended) this.#idle.push(thread);
      this.#rest = setTimeout(() => this.#endIdle(), IDLE_MS).unref();
    });
  }
}

import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import type { ScanBatch } from '../../ports/transcript.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import type { Catalog } from '../catalog/catalog.js';
import { listConversations, locate } from '../catalog/conversationFolders.js';
import {
  targetOf,
  type ScanAnswer,
  type ScanTarget,
  type SearchHit,
  type SearchProgress,
} from './scanQuestion.js';
import { brokeDown, ENDED, ScanThread, type Question } from './scanThread.js';

/** The limit of a search, and whom it notifies. */
export interface SearchOptions {
  /** The most hits to give; 10,000 by default. */
  readonly maxHits?: number;
  /** Called from time to time, and at the end. */
  readonly onProgress?: (progress: SearchProgress) => void;
  /** Called when there are more hits than `maxHits`. */
  readonly onLimit?: () => void;
}

const MAX_HITS = 10_000;
/** How long an idle thread lives, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Searches the conversations of one store on threads, which start with the first question; see the methods of the same
 * names in `TranscriptStore`.
 */
export class SearchService implements Disposable {
  readonly #root: string;
  readonly #catalog: Catalog;
  readonly #script: URL;
  readonly #busy = new Set<ScanThread>();
  #idle: ScanThread[] = [];
  #rest: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** `script`: the bundle of `scan.worker.ts`. */
  constructor(root: string, catalog: Catalog, script: URL) {
    this.#root = root;
    this.#catalog = catalog;
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

  async *search(
    criteria: FilterCriteria,
    { maxHits = MAX_HITS, onProgress, onLimit }: SearchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<SearchHit, void, undefined> {
    const targets = await this.#newestFirst();
    for await (const answer of this.#answers({ targets, criteria, from: 0, hits: maxHits }, signal)) {
      if ('progress' in answer) {
        onProgress?.(answer.progress);
        yield* answer.hits;
      } else if ('done' in answer && answer.limited) onLimit?.();
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

  /** All conversations, those that the catalog does not know last. */
  async #newestFirst(): Promise<ScanTarget[]> {
    const found = new Map((await listConversations(this.#root)).map((paths) => [paths.id, paths]));
    const known = this.#catalog.entries().map(({ conversation }) => conversation);
    const ids = new Set([...known, ...[...found.keys()].sort().reverse()]);
    return [...ids].flatMap((id) => found.get(id) ?? []).map(targetOf);
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

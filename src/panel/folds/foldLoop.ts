import type { Disposable } from '../../core/event.js';
import type { Facts } from '../../analysis/facts.js';
import type { Transcript } from '../../ports/transcript.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { TranscriptFolds } from './transcriptFolds.js';

/** The size of the first slice in records, small so that the first screen appears at once. */
const FIRST_SLICE = 100;
const SLICE = 1_600;
/** The most records folded without a pause; slices are read at once but folded in bites. */
const BITE = 100;

/** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
export type ReadFacts = (start: number, end: number) => Promise<readonly Facts[]>;

/** What a loop over a transcript needs. */
export interface FoldLoopOptions {
  readonly transcript: Pick<Transcript, 'length' | 'onDidGrow'>;
  readonly facts: ReadFacts;
  readonly folds: TranscriptFolds;
  /** Called after each slice. */
  onAdvance(): void;
  onFailure(error: unknown): void;
}

/** Reads a transcript into its folds, slice by slice, while started; continues when the transcript grows. */
export class FoldLoop implements Disposable {
  readonly #options: FoldLoopOptions;
  #growth: Disposable | undefined;
  #working = false;
  #waiting: { readonly records: number; readonly resolve: () => void }[] = [];
  /** The number of errands in progress, and whom to notify when there are none. */
  #errands = 0;
  #free: (() => void)[] = [];

  constructor(options: FoldLoopOptions) {
    this.#options = options;
  }

  /** Whether the loop is reading: there is more to read, and it is not stopped. */
  get isReading(): boolean {
    const { transcript, folds } = this.#options;
    return this.#growth !== undefined && transcript.length > folds.index.records;
  }

  start(): void {
    this.#growth ??= this.#options.transcript.onDidGrow(() => void this.#work());
    void this.#work();
  }

  /** Pauses reading until it is started again. */
  stop(): void {
    this.#growth?.dispose();
    this.#growth = undefined;
  }

  /** Resolves when the given number of records has been read, or all there are, or the loop was stopped. */
  async reached(records: number): Promise<void> {
    if (this.#isReached(records)) return;
    await new Promise<void>((resolve) => this.#waiting.push({ records, resolve }));
  }

  /** Runs something that a person waits for, during which the loop reads nothing; it must not wait for the loop. */
  async letPass<T>(errand: () => Promise<T>): Promise<T> {
    this.#errands++;
    try {
      return await errand();
    } finally {
      if (--this.#errands === 0) for (const go of this.#free.splice(0)) go();
    }
  }

  dispose(): void {
    this.stop();
    this.#wake();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.isReading && (await this.#slice())) {
        this.#wake();
        this.#options.onAdvance();
      }
    } catch (error) {
      this.stop();
      this.#options.onFailure(error);
    }
    this.#working = false;
    this.#wake();
  }

  async #slice(): Promise<boolean> {
    const { facts, folds } = this.#options;
    await this.#errandsDone();
    const at = folds.index.records;
    const records = await facts(at, at + (at === 0 ? FIRST_SLICE : SLICE));
    for (let start = 0; start < records.length; start += BITE) {
      folds.add(records.slice(start, start + BITE));
      await yieldToEventLoop();
      await this.#errandsDone();
    }
    return records.length > 0;
  }

  async #errandsDone(): Promise<void> {
    while (this.#errands > 0) await new Promise<void>((resolve) => this.#free.push(resolve));
  }

  #isReached(records: number): boolean {
    return !this.isReading || this.#options.folds.index.records >= records;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ records }) => !this.#isReached(records));
    for (const { records, resolve } of waiting) if (this.#isReached(records)) resolve();
  }
}

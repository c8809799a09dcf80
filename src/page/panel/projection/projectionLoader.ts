import type { Disposable } from '../../../core/event.js';
import type { Facts } from '../../../query/numbers/facts.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { yieldToEventLoop } from '../../../core/yieldToEventLoop.js';
import type { PriorityGate } from '../recordReader.js';
import type { TranscriptProjection } from './transcriptProjection.js';

/** How many records are read first: few, so that the first screen appears at once. */
const FIRST_READ = 100;
const RECORDS_PER_READ = 1_600;
/** How many records that were read are added before others get their turn. */
const RECORDS_PER_TURN = 100;

/** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
export type ReadFacts = (start: number, end: number) => Promise<readonly Facts[]>;

/** What a loader needs. */
export interface ProjectionLoaderOptions {
  readonly transcript: Pick<Transcript, 'length' | 'expected' | 'onDidGrow'>;
  readonly facts: ReadFacts;
  readonly projection: TranscriptProjection;
  /** What people wait for on this thread, in this panel and in others. */
  readonly gate: PriorityGate;
  /** Called after each read. */
  onAdvance(): void;
  /** Called whenever all that there is has been read. */
  onEnd?(): void;
  onFailure(error: unknown): void;
}

/** Reads a transcript into its projection, part by part, while started; continues when the transcript grows. */
export class ProjectionLoader implements Disposable {
  readonly #options: ProjectionLoaderOptions;
  #growth: Disposable | undefined;
  #working = false;
  #waiting: { readonly records: number; readonly resolve: () => void }[] = [];

  constructor(options: ProjectionLoaderOptions) {
    this.#options = options;
  }

  /** Whether it is reading: there is more to read, and it is not stopped. */
  get isReading(): boolean {
    const { transcript, projection } = this.#options;
    const { length, expected = length } = transcript;
    return this.#growth !== undefined && expected > projection.index.records;
  }

  get #isAtEnd(): boolean {
    return this.#growth !== undefined && !this.isReading;
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

  /** Resolves when the given number of records has been read, or all there are, or it was stopped. */
  async reached(records: number): Promise<void> {
    if (this.#isReached(records)) return;
    await new Promise<void>((resolve) => this.#waiting.push({ records, resolve }));
  }

  /** Waits until more is read than was; false where there is no more, or it was stopped. */
  async reachedMore(): Promise<boolean> {
    const { index } = this.#options.projection;
    const { records } = index;
    await this.reached(records + 1);
    return index.records > records;
  }

  /** Runs something that a person waits for, during which nothing is read for any projection; it must not wait for that. */
  letPass<T>(errand: () => Promise<T>): Promise<T> {
    return this.#options.gate.run(errand);
  }

  dispose(): void {
    this.stop();
    this.#wake();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.isReading && (await this.#readOn())) {
        this.#wake();
        this.#options.onAdvance();
      }
      if (this.#isAtEnd) this.#options.onEnd?.();
    } catch (error) {
      this.stop();
      this.#options.onFailure(error);
    }
    this.#working = false;
    this.#wake();
  }

  async #readOn(): Promise<boolean> {
    const { facts, projection, gate } = this.#options;
    await gate.done();
    const at = projection.index.records;
    const records = await facts(at, at + (at === 0 ? FIRST_READ : RECORDS_PER_READ));
    for (let start = 0; start < records.length; start += RECORDS_PER_TURN) {
      projection.add(records.slice(start, start + RECORDS_PER_TURN));
      await yieldToEventLoop();
      await gate.done();
    }
    return records.length > 0;
  }

  #isReached(records: number): boolean {
    return !this.isReading || this.#options.projection.index.records >= records;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ records }) => !this.#isReached(records));
    for (const { records, resolve } of waiting) if (this.#isReached(records)) resolve();
  }
}

import type { ReadRecord, Transcript } from '../../ports/transcript.js';
import type { Prices } from '../../ports/prices.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { evaluate, type Found, type Guard } from '../../query/language/evaluate.js';
import { recordsAt } from '../recordsAt.js';
import type { QueryPlan } from '../../query/language/plan.js';
import type { GatheredFacts, SessionInfo } from '../../query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../query/language/sessionFactsBuilder.js';

/** What answers about a whole transcript are made with. */
export interface SessionAnswersOptions {
  readonly transcript: Pick<Transcript, 'length' | 'read' | 'readAt'>;
  readonly prices: Prices;
  /** What is known of the transcript besides its records. */
  readonly info: () => SessionInfo;
  /** A record with its whole texts. */
  readonly whole: (record: ReadRecord) => Promise<ReadRecord>;
  /** Runs what looks for patterns, with a limit of time. */
  readonly guard: Guard;
}

/** What a question finds in a transcript as far as it went when it was asked. */
export interface SessionAnswer {
  readonly found: Found;
  readonly facts: GatheredFacts;
  /** How many records were looked at. */
  readonly length: number;
}

/** How many records are read at a time. */
const BATCH = 500;

/**
 * Answers the questions about a transcript that take more than its columns: for order, tree, numbers, tool calls, calls of
 * agents and runs. The facts that this takes are gathered when the first such question is asked, and grow with the
 * transcript.
 */
export class SessionAnswers {
  readonly #options: SessionAnswersOptions;
  #builder: SessionFactsBuilder | undefined;
  #known = 0;
  #stop = new AbortController();
  #gathering: Promise<void> | undefined;

  constructor(options: SessionAnswersOptions) {
    this.#options = options;
  }

  /** Forgets what was gathered. */
  clear(): void {
    this.#builder = undefined;
    this.#known = 0;
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** Answers a question; undefined where the signal is aborted meanwhile. */
  async answer(plan: QueryPlan, signal: AbortSignal): Promise<SessionAnswer | undefined> {
    await this.#gather(signal);
    if (isOver(signal) || !this.#builder) return undefined;
    const length = this.#known;
    const facts = this.#builder.finish(this.#options.info());
    const evaluation = evaluate(plan, facts, plan.needsGuard ? this.#options.guard : unguarded);
    let step = evaluation.next(() => undefined);
    while (!step.done) {
      const items = await this.#itemsAt(step.value);
      await yieldToEventLoop();
      if (isOver(signal)) return undefined;
      step = evaluation.next((position) => items.get(position));
    }
    return { found: step.value, facts, length };
  }

  /** Gathers the facts of what came since; once, however many wait for it. */
  async #gather(signal: AbortSignal): Promise<void> {
    while (
      !signal.aborted &&
      (this.#builder === undefined || this.#known < this.#options.transcript.length)
    ) {
      this.#gathering ??= this.#gatherMore().finally(() => (this.#gathering = undefined));
      const before = this.#known;
      await this.#gathering;
      // Nothing came where the files have less than they had.
      if (this.#known === before) return;
    }
  }

  async #gatherMore(): Promise<void> {
    this.#builder ??= new SessionFactsBuilder(this.#options.prices);
    const { signal } = this.#stop;
    const from = this.#known;
    const records = await this.#options.transcript.read(from, from + BATCH);
    await yieldToEventLoop();
    // What was gathered may have been forgotten meanwhile.
    if (signal.aborted) return;
    for (const record of records) this.#builder.add(record);
    this.#known = from + records.length;
  }

  /** The records at positions, whole. */
  async #itemsAt(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    const { transcript, whole } = this.#options;
    const items = new Map<number, ReadRecord>();
    for (const [position, record] of await recordsAt(transcript, positions))
      items.set(position, await whole(record));
    return items;
  }
}

/** Asked anew each time: it is another answer after a wait. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function unguarded(work: () => void): boolean {
  work();
  return true;
}

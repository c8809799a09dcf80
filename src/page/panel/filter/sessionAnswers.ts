import type { ReadRecord, Transcript } from '../../../core/ports/transcript.js';
import type { Prices } from '../../../core/ports/prices.js';
import { yieldToEventLoop } from '../../../core/yieldToEventLoop.js';
import { evaluate, type Matches, type Guard } from '../../../query/language/evaluate.js';
import { recordsAt } from '../recordReader.js';
import type { QueryPlan } from '../../../query/language/plan.js';
import { asksForCosts } from '../../../query/language/terms.js';
import type { SessionFacts, SessionInfo } from '../../../query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../../query/language/sessionFactsBuilder.js';

/** The facts of a transcript that are kept beside its files. */
export interface CachedFacts {
  /**
   * Those of all records that the files have, with what else is known; undefined where they are not to be had so.
   * `needsCosts`: whether costs are asked for, which must be of today's prices. Never rejects.
   */
  of(info: SessionInfo, needsCosts: boolean): Promise<SessionFacts | undefined>;
  /** Lets go of what is in memory. */
  forget(): void;
}

/** What answers about a whole transcript are made with. */
export interface SessionAnswersOptions {
  readonly transcript: Pick<Transcript, 'length' | 'read' | 'readAt'>;
  readonly prices: Prices;
  /** What is known of the transcript besides its records. */
  readonly info: () => SessionInfo;
  /** Left out, none are kept. */
  readonly kept?: CachedFacts | undefined;
  /** A record with its whole texts. */
  readonly whole: (record: ReadRecord) => Promise<ReadRecord>;
  /** Runs what looks for patterns, with a limit of time. */
  readonly guard: Guard;
}

/** What a question finds in a transcript as far as it went when it was asked. */
export interface SessionAnswer {
  readonly found: Matches;
  readonly facts: SessionFacts;
  /** How many records were looked at. */
  readonly length: number;
}

/** How many records are read at a time. */
const BATCH = 500;

/**
 * Answers the questions about a transcript that take more than its columns: for order, tree, numbers, tool calls, calls of
 * agents and runs. The facts that this takes are those that are kept beside the files; where there are none, they are
 * gathered from the records when the first such question is asked, and grow with the transcript.
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
    this.#options.kept?.forget();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** Answers a question; undefined where the signal is aborted meanwhile. */
  async answer(plan: QueryPlan, signal: AbortSignal): Promise<SessionAnswer | undefined> {
    const facts = await this.#factsFor(plan, signal);
    if (isOver(signal) || !facts) return undefined;
    const evaluation = evaluate(plan, facts, plan.needsGuard ? this.#options.guard : unguarded);
    let step = evaluation.next(() => undefined);
    while (!step.done) {
      const items = await this.#itemsAt(step.value);
      await yieldToEventLoop();
      if (isOver(signal)) return undefined;
      step = evaluation.next((position) => items.get(position));
    }
    return { found: step.value, facts, length: facts.records.length };
  }

  async #factsFor({ terms }: QueryPlan, signal: AbortSignal): Promise<SessionFacts | undefined> {
    const { kept, info } = this.#options;
    // What was gathered once grows with the transcript.
    if (kept && !this.#builder) {
      const facts = await kept.of(info(), [...terms.keys()].some(asksForCosts));
      if (facts) return facts;
    }
    await this.#gather(signal);
    return this.#builder?.finish(info());
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

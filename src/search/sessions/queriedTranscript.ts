import { endsWithin } from '../../node/patterns/timeGuard.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { evaluate, type Evaluation, type Matches } from '../../query/language/evaluate.js';
import { PROVED } from '../../query/language/unitTexts.js';
import type { LineQuery, SearchedTranscript, WantedLines } from './session.js';
import type { QueryPlan } from '../../query/language/plan.js';
import type { SessionFacts, SessionInfo } from '../../query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../query/language/sessionFactsBuilder.js';
import { refsOf } from '../../store/format/spillTexts.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';

/** How long a step that looks for patterns may take, in milliseconds, where nothing else is said. */
export const MAX_PATTERN_MS = 300;
/** How many records are read at a time. */
const BATCH = 500;
/** Records that are so many positions apart are read at once, with those between them. */
const NEAR = 4;

/** Reads of one transcript what a question needs. */
export class QueriedTranscript {
  /** How many large texts were looked for in vain. */
  missingTexts = 0;
  readonly #open: () => SearchedTranscript;
  #opened: SearchedTranscript | undefined;
  readonly #maxPatternMs: number;
  readonly #signal: AbortSignal | undefined;

  /** `transcript` is called when records are needed. */
  constructor(transcript: () => SearchedTranscript, maxPatternMs: number, signal: AbortSignal | undefined) {
    this.#open = transcript;
    this.#maxPatternMs = maxPatternMs;
    this.#signal = signal;
  }

  get #transcript(): SearchedTranscript {
    return (this.#opened ??= this.#open());
  }

  /** The facts of all records, which are read for them. Rejects where the signal is aborted. */
  async facts(info: SessionInfo, prices: Prices | undefined): Promise<SessionFacts> {
    const builder = new SessionFactsBuilder(prices);
    const { length } = this.#transcript;
    for (let from = 0; from < length; from += BATCH) {
      this.#signal?.throwIfAborted();
      for (const record of await this.#transcript.read(from, Math.min(from + BATCH, length)))
        builder.add(record);
    }
    return builder.finish(info);
  }

  /**
   * The rows that match, at once where no record has to be read for them. Only records of which the facts leave it open are
   * read, and of them those that `lines` leaves open, see `linesFor`. Rejects like `facts`.
   */
  answer(plan: QueryPlan, facts: SessionFacts, lines?: LineQuery): Matches | Promise<Matches> {
    const guard = (work: () => void): boolean => {
      if (plan.needsGuard) return endsWithin(this.#maxPatternMs, work);
      work();
      return true;
    };
    const evaluation = evaluate(plan, facts, guard);
    const first = evaluation.next(() => undefined);
    return first.done ? first.value : this.#answerOn(evaluation, first, lines);
  }

  async #answerOn(
    evaluation: Evaluation,
    first: IteratorResult<readonly number[], Matches>,
    lines: LineQuery | undefined,
  ): Promise<Matches> {
    let step = first;
    while (!step.done) {
      lines?.proved.clear();
      const items = await this.itemsAt(step.value, lines?.wanted);
      step = evaluation.next(
        (position) => items.get(position) ?? (lines?.proved.has(position) === true ? PROVED : undefined),
      );
    }
    return step.value;
  }

  /** The records at ascending positions, whole; those that stand close together are read at once. Rejects like `facts`. */
  async itemsAt(positions: readonly number[], lines?: WantedLines): Promise<ReadonlyMap<number, ReadRecord>> {
    this.#signal?.throwIfAborted();
    const items = new Map<number, ReadRecord>();
    const transcript = this.#transcript;
    const read =
      transcript.recordsAt?.(positions, lines) ??
      (await transcript.readAt?.(positions)) ??
      (await this.#readEach(positions));
    for (const [position, record] of read) {
      if (refsOf(record).length === 0) {
        items.set(position, record);
        continue;
      }
      const { record: whole, missing } = await restoreTexts(record, transcript);
      this.missingTexts += missing.length;
      items.set(position, whole);
    }
    return items;
  }

  async #readEach(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    const items = new Map<number, ReadRecord>();
    for (let at = 0; at < positions.length;) {
      this.#signal?.throwIfAborted();
      const from = positions[at] ?? 0;
      let last = at;
      while (
        (positions[last + 1] ?? Infinity) - (positions[last] ?? 0) <= NEAR &&
        (positions[last + 1] ?? 0) - from < BATCH
      )
        last++;
      const read = await this.#transcript.read(from, (positions[last] ?? from) + 1);
      for (; at <= last; at++) {
        const record = read[(positions[at] ?? 0) - from];
        if (record) items.set(positions[at] ?? 0, record);
      }
    }
    return items;
  }
}

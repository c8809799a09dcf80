import { messageOf } from '../../core/text.js';
import { endsWithin } from '../../node/patterns/timeGuard.js';
import type { ReadRecord, Transcript } from '../../ports/transcript.js';
import type { Prices } from '../../ports/prices.js';
import { rowAt, type QueryRow } from '../../query/language/answer.js';
import { evaluate, type Found } from '../../query/language/evaluate.js';
import { planQuery, type QueryPlan } from '../../query/language/plan.js';
import {
  SessionFactsBuilder,
  type SessionFacts,
  type SessionInfo,
} from '../../query/language/sessionFacts.js';
import type { QueryProblem, RowKind } from '../../query/language/syntax.js';
import { restoreTexts } from '../../store/read/restoreTexts.js';

/** A transcript that is asked, and what is known of it besides its records. */
export type QueryTarget = Transcript | ({ readonly transcript: Transcript } & Omit<SessionInfo, 'session'>);

/** How a question is asked; everything has a default. */
export interface QueryTranscriptsOptions {
  /** What is asked for; `messages`. */
  readonly rows?: RowKind;
  /** What `7d` and `today` refer to, in milliseconds since 1970; now. */
  readonly now?: number;
  /** In which days are days, such as `Europe/Berlin`; that of this computer. */
  readonly timeZone?: string;
  /** What costs are known by besides those that the source recorded, as `loadPrices` gives it. */
  readonly prices?: Prices;
  /** How long one step of the search may take where it looks for patterns, in milliseconds; 300. */
  readonly maxPatternMs?: number;
  readonly signal?: AbortSignal;
}

/** What was found, and what could not be looked through; or what is wrong with the question. */
export type QueryResult =
  | {
      readonly ok: true;
      /** In the order of the transcripts, and of each in its order. */
      readonly found: readonly QueryRow[];
      /** How many transcripts were looked through. */
      readonly sessions: number;
      /** Those that could not be read. */
      readonly unread: readonly { readonly session: string; readonly why: string }[];
      /** Those of which a part could not be: damaged places, and large texts of which only the beginning is there. */
      readonly incomplete: readonly {
        readonly session: string;
        readonly damaged: number;
        readonly missingTexts: number;
      }[];
    }
  | { readonly ok: false; readonly problems: readonly QueryProblem[] };

/** How long a step that looks for patterns may take, in milliseconds, where nothing else is said. */
const MAX_PATTERN_MS = 300;
/** How many records are read at a time. */
const BATCH = 500;

/**
 * Asks a question of transcripts, one after the other; docs/query.md has the language. Nothing is closed or changed.
 * Rejects where the signal is aborted, and with a RangeError for a time zone that does not exist.
 */
export async function query(
  transcripts: Iterable<QueryTarget> | AsyncIterable<QueryTarget>,
  text: string,
  options: QueryTranscriptsOptions = {},
): Promise<QueryResult> {
  const { rows = 'messages', now = Date.now(), maxPatternMs = MAX_PATTERN_MS, prices, signal } = options;
  const timeZone = options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const planned = planQuery(text, { rows, now, timeZone });
  if (!planned.ok) return planned;
  const found: QueryRow[] = [];
  const unread: { session: string; why: string }[] = [];
  const incomplete: { session: string; damaged: number; missingTexts: number }[] = [];
  let sessions = 0;
  for await (const target of transcripts) {
    const { transcript, ...about } = 'transcript' in target ? target : { transcript: target };
    const session = transcript.conversation;
    const asked = new AskedTranscript(transcript, maxPatternMs, signal);
    try {
      const facts = await asked.facts({ ...about, session }, prices);
      const answer = await asked.answer(planned.plan, facts);
      if (!answer.ok) return { ok: false, problems: [answer.problem] };
      for (const index of answer.indexes) {
        const row = rowAt(facts, rows, index);
        if (row) found.push(row);
      }
      sessions++;
    } catch (error) {
      signal?.throwIfAborted();
      unread.push({ session, why: messageOf(error) });
      continue;
    }
    const damaged = transcript.damaged.length;
    const { missingTexts } = asked;
    if (damaged + missingTexts > 0) incomplete.push({ session, damaged, missingTexts });
  }
  return { ok: true, found, sessions, unread, incomplete };
}

/** Reads of one transcript what a question needs. */
class AskedTranscript {
  /** How many large texts were looked for in vain. */
  missingTexts = 0;
  readonly #transcript: Transcript;
  readonly #maxPatternMs: number;
  readonly #signal: AbortSignal | undefined;

  constructor(transcript: Transcript, maxPatternMs: number, signal: AbortSignal | undefined) {
    this.#transcript = transcript;
    this.#maxPatternMs = maxPatternMs;
    this.#signal = signal;
  }

  async facts(info: SessionInfo, prices: Prices | undefined): Promise<SessionFacts> {
    const builder = new SessionFactsBuilder(prices);
    const { length } = this.#transcript;
    for (let from = 0; from < length; from += BATCH) {
      for (const record of await this.#read(from, Math.min(from + BATCH, length))) builder.add(record);
    }
    return builder.finish(info);
  }

  async answer(plan: QueryPlan, facts: SessionFacts): Promise<Found> {
    const hasPatterns = [...plan.terms.keys()].some(({ values }) =>
      values.some(({ kind }) => kind === 'pattern'),
    );
    const guard = (work: () => void): boolean => {
      if (hasPatterns) return endsWithin(this.#maxPatternMs, work);
      work();
      return true;
    };
    const evaluation = evaluate(plan, facts, guard);
    let step = evaluation.next(() => undefined);
    while (!step.done) {
      const items = await this.#itemsAt(step.value);
      step = evaluation.next((position) => items.get(position));
    }
    return step.value;
  }

  /** The records at ascending positions, whole; those that stand close together are read at once. */
  async #itemsAt(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    const items = new Map<number, ReadRecord>();
    for (let at = 0; at < positions.length;) {
      const from = positions[at] ?? 0;
      let last = at;
      while ((positions[last + 1] ?? Infinity) - from < BATCH) last++;
      const read = await this.#read(from, (positions[last] ?? from) + 1);
      for (; at <= last; at++) {
        const position = positions[at] ?? 0;
        const record = read[position - from];
        if (!record) continue;
        const { record: whole, missing } = await restoreTexts(record, this.#transcript);
        this.missingTexts += missing.length;
        items.set(position, whole);
      }
    }
    return items;
  }

  async #read(from: number, to: number): Promise<readonly ReadRecord[]> {
    this.#signal?.throwIfAborted();
    return this.#transcript.read(from, to);
  }
}

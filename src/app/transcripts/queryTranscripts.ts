import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { messageOf } from '../../core/text.js';
import type { Prices } from '../../core/ports/prices.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { rowAt, type QueryRow } from '../../query/language/answer.js';
import { planQuery } from '../../query/language/plan.js';
import type { SessionInfo } from '../../query/language/sessionFacts.js';
import { ROW_KINDS, type QueryProblem, type RowKind } from '../../query/language/syntax.js';
import { QueriedTranscript, MAX_PATTERN_MS } from '../../search/sessions/queriedTranscript.js';

/** A transcript that is asked, and what is known of it besides its records. */
export type QueryTarget = Transcript | ({ readonly transcript: Transcript } & Omit<SessionInfo, 'session'>);

/** How a question is asked; everything has a default. */
export interface QueryTranscriptsOptions<Rows extends RowKind = RowKind> {
  /** What is asked for; `messages`. */
  readonly rows?: Rows;
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

const queryOptionKinds: KnownOptions<QueryTranscriptsOptions> = {
  rows: ROW_KINDS,
  now: 'count',
  timeZone: 'text',
  prices: 'object',
  maxPatternMs: 'count',
  signal: 'object',
};

/** What was found, and what could not be looked through; or what is wrong with the question. */
export type QueryResult<Rows extends RowKind = RowKind> =
  | {
      readonly ok: true;
      /** In the order of the transcripts, and of each in its order. */
      readonly found: readonly QueryRow<Rows>[];
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

/**
 * Asks a question of transcripts, one after the other; docs/query.md has the language. Nothing is closed or changed.
 * Rejects where the signal is aborted, with a TypeError for an unknown option or an unknown kind of rows, and with a
 * RangeError for a time zone that does not exist.
 */
export async function query<Rows extends RowKind = 'messages'>(
  transcripts: Iterable<QueryTarget> | AsyncIterable<QueryTarget>,
  text: string,
  options: QueryTranscriptsOptions<Rows> = {},
): Promise<QueryResult<Rows>> {
  checkOptions(options, queryOptionKinds, 'query');
  const {
    rows = 'messages' as Rows,
    now = Date.now(),
    maxPatternMs = MAX_PATTERN_MS,
    prices,
    signal,
  } = options;
  const timeZone = options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const planned = planQuery(text, { rows, now, timeZone });
  if (!planned.ok) return planned;
  const found: QueryRow<Rows>[] = [];
  const unread: { session: string; why: string }[] = [];
  const incomplete: { session: string; damaged: number; missingTexts: number }[] = [];
  let sessions = 0;
  for await (const target of transcripts) {
    const { transcript, ...about } = 'transcript' in target ? target : { transcript: target };
    const session = transcript.conversation;
    const asked = new QueriedTranscript(() => transcript, maxPatternMs, signal);
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

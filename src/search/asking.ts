import type { ReadRecord } from '../core/ports/transcript.js';
import type { SearchHit } from '../page/protocol/search.js';
import { couldMatch } from '../query/language/recordsOf.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import type { Matches } from '../query/language/evaluate.js';
import type { QueryProblem, Term } from '../query/language/syntax.js';
import { asksForCosts, asksForNotes } from '../query/language/terms.js';
import { QueriedTranscript, MAX_PATTERN_MS } from './sessions/queriedTranscript.js';
import type { MarkedPrices } from './columns/readSession.js';
import type { Excerpts } from './excerpts.js';
import { foundRow, hitOf, positionsShown } from './rowMatches.js';
import { CandidateFinder } from './stored/lineCandidates.js';
import { linesFor, mayBeOfSource, mayHaveTexts, mayHold, neededTexts, proofFor } from './pruning.js';
import type { RawText } from './bytes/rawText.js';
import type { LineFilter } from './bytes/rawText.js';
import type { LineQuery, OpenSession, Session } from './sessions/session.js';

/** A session that was asked a question. */
export interface QueriedSession {
  readonly plan: QueryPlan;
  readonly facts: SessionFacts;
  /** Reads the records of what was found. */
  readonly asked: QueriedTranscript;
  /** The rows that match, in the order of the session; none where there is a `problem`. */
  readonly indexes: readonly number[];
  /** A pattern of the question that took too long here. */
  readonly problem?: QueryProblem;
  /** How many places of it are damaged. */
  readonly damaged: number;
}

type UnansweredSession = Omit<QueriedSession, 'indexes' | 'problem'>;

/** Asks one question of sessions, one after the other. */
export class Asking {
  readonly #plan: QueryPlan;
  readonly #prices: MarkedPrices;
  readonly #needsCosts: boolean;
  readonly #tellsCosts: boolean;
  readonly #asksForNotes: boolean;
  readonly #asksForTexts: boolean;
  readonly #lines: LineFilter | undefined;
  /** Undefined where no bytes prove anything. */
  readonly #finder: CandidateFinder | undefined;
  #rawTexts: readonly (readonly RawText[])[] | undefined;

  /** `costs`: whether those of the rows that match are told, so that they must be of these prices. */
  constructor(plan: QueryPlan, prices: MarkedPrices, costs: 'told' | 'not told') {
    this.#plan = plan;
    this.#tellsCosts = costs === 'told' && plan.rows !== 'toolCalls';
    this.#prices = prices;
    this.#needsCosts = [...plan.terms.keys()].some(asksForCosts);
    this.#asksForNotes = [...plan.terms.keys()].some(asksForNotes);
    this.#asksForTexts = [...plan.terms.values()].some(({ on }) => on === 'texts');
    this.#lines = linesFor(plan);
    const proof = this.#lines && proofFor(plan);
    this.#finder = this.#lines && proof && new CandidateFinder(this.#lines, proof);
  }

  /**
   * Asks a session; undefined where nothing in it matches. At once where what is known of it tells that. Throws, or
   * rejects with, an error for a person where it cannot be read; rejects where the signal is aborted.
   */
  ask(
    session: Session,
    signal: AbortSignal,
  ): QueriedSession | undefined | Promise<QueriedSession | undefined> {
    if (!mayBeOfSource(this.#plan, session)) return undefined;
    if (this.#asksForNotes) return this.#askWithNotes(session, signal);
    if (this.#asksForTexts && session.knownTexts)
      return this.#askIfNotRuledOut(session, session.knownTexts(), signal);
    const known = session.known(this.#prices, this.#needsCosts);
    if (!known || known instanceof Promise) return this.#askUnknown(session, known, signal);
    const answer = this.#askOpened(session, known, known.facts, signal);
    if (!answer || !this.#tellsCosts || known.hasOtherPrices !== true) return answer;
    return this.#atThesePrices(session, known, answer, signal);
  }

  async #askWithNotes(session: Session, signal: AbortSignal): Promise<QueriedSession | undefined> {
    if (!(await mayHaveNotes(session, this.#plan))) return undefined;
    return await this.#askUnknown(session, session.known(this.#prices, this.#needsCosts), signal);
  }

  async #askIfNotRuledOut(
    session: Session,
    texts: ReturnType<NonNullable<Session['knownTexts']>>,
    signal: AbortSignal,
  ): Promise<QueriedSession | undefined> {
    const blocks = await texts;
    if (blocks && !mayHaveTexts(this.#plan, blocks)) return undefined;
    return await this.#askUnknown(session, session.known(this.#prices, this.#needsCosts), signal);
  }

  async #askUnknown(
    session: Session,
    known: OpenSession | undefined | Promise<OpenSession | undefined>,
    signal: AbortSignal,
  ): Promise<QueriedSession | undefined> {
    const found = await known;
    const opened =
      found ?? ((await this.#mayHaveTexts(session)) ? await session.read(this.#prices, signal) : undefined);
    if (!opened) return undefined;
    const answer = this.#askOpened(session, opened, await this.#factsOf(session, opened), signal);
    return answer && (await this.#atThesePrices(session, opened, answer, signal));
  }

  /** The answer with the costs of what matches; what matches is the same at all prices that may be told here. */
  async #atThesePrices(
    session: Session,
    opened: OpenSession,
    asked: QueriedSession | Promise<QueriedSession>,
    signal: AbortSignal,
  ): Promise<QueriedSession | undefined> {
    const answer = await asked;
    if (!this.#tellsCosts || opened.hasOtherPrices !== true || answer.indexes.length === 0) return answer;
    const read = await session.read(this.#prices, signal);
    return await this.#askOpened(session, read, await this.#factsOf(session, read), signal);
  }

  async #factsOf(session: Session, opened: OpenSession): Promise<SessionFacts> {
    return this.#asksForNotes
      ? opened.about({ notes: await session.notes(opened.transcript()) })
      : opened.facts;
  }

  #askOpened(
    session: Session,
    opened: OpenSession,
    facts: SessionFacts,
    signal: AbortSignal,
  ): QueriedSession | undefined | Promise<QueriedSession> {
    const plan = this.#plan;
    if (couldMatch(plan.query, (term) => mayHold(term, plan, facts)))
      return this.#askTexts(session, opened, facts, signal);
    return opened.damaged === 0 ? undefined : { ...this.#asked(opened, facts, signal), indexes: [] };
  }

  #askTexts(
    session: Session,
    opened: OpenSession,
    facts: SessionFacts,
    signal: AbortSignal,
  ): QueriedSession | Promise<QueriedSession> {
    const known = this.#asked(opened, facts, signal);
    // Lines are looked through as they are read, unless more than their texts is asked for.
    if (this.#lines === undefined && this.#needed().length > 0)
      return this.#askIfThere(session, opened, known);
    const answer = known.asked.answer(this.#plan, facts, this.#linesOf(opened));
    return answer instanceof Promise
      ? answer.then((found) => answeredBy(known, found))
      : answeredBy(known, answer);
  }

  async #askIfThere(
    session: Session,
    opened: OpenSession,
    known: UnansweredSession,
  ): Promise<QueriedSession> {
    if (!(await this.#mayHaveTexts(session))) return { ...known, indexes: [] };
    const { asked, facts } = known;
    return answeredBy(known, await asked.answer(this.#plan, facts, this.#linesOf(opened)));
  }

  /** The lines of a session that have to be parsed; undefined for all. */
  #linesOf({ oddLines }: OpenSession): LineQuery | undefined {
    const lines = this.#lines;
    if (!lines) return undefined;
    const proved = new Set<number>();
    const isOdd = (position: number) => oddLines?.has(position) === true;
    // What is damaged has no line among those of records; what only looks like a message is on an odd one.
    const finder = oddLines && this.#finder;
    if (!finder) return { wanted: (run, at) => lines(run, oddLines && at.map(isOdd)), proved };
    const wanted: LineQuery['wanted'] = (run, at) => {
      const found = finder.in(run, at.map(isOdd));
      return found.lines.filter((line, index) => {
        if (found.proved[index] === 1) proved.add(at[line] ?? 0);
        return found.proved[index] !== 1;
      });
    };
    return { wanted, proved };
  }

  #asked(opened: OpenSession, facts: SessionFacts, signal: AbortSignal): UnansweredSession {
    const asked = new QueriedTranscript(() => opened.transcript(), MAX_PATTERN_MS, signal);
    return { plan: this.#plan, facts, asked, damaged: opened.damaged };
  }

  /** Whether the texts that a question cannot do without may stand in a session: its bytes are looked through sooner than read. */
  async #mayHaveTexts(session: Session): Promise<boolean> {
    for (const texts of this.#needed()) if (!(await session.mayHave(texts))) return false;
    return true;
  }

  #needed(): readonly (readonly RawText[])[] {
    return (this.#rawTexts ??= neededTexts(this.#plan.query));
  }
}

function answeredBy({ plan, facts, asked, damaged }: UnansweredSession, answer: Matches): QueriedSession {
  // Written out: one is made for every session.
  return answer.ok
    ? { plan, facts, asked, damaged, indexes: answer.indexes }
    : { plan, facts, asked, damaged, indexes: [], problem: answer.problem };
}

/** Whether a question may find something in a session as far as its notes tell. */
async function mayHaveNotes(session: Session, { query, terms }: QueryPlan): Promise<boolean> {
  const isNoted = (term: Term) => {
    const compiled = terms.get(term);
    return compiled?.on === 'facts' && compiled.needsNotes === true;
  };
  return couldMatch(query, (term) => !isNoted(term)) || (await session.hasNotes());
}

/** How rows are told: the question's text, what finds it in texts, and what is done to each record before it is shown. */
export interface Telling {
  readonly text: string;
  readonly excerpts: Excerpts;
  readonly clean?: ((record: ReadRecord) => ReadRecord) | undefined;
}

/** Rows of a session as they are told; reads the records that they show. */
export async function hitsAt(
  { plan, facts, asked }: QueriedSession,
  indexes: readonly number[],
  { text, excerpts, clean = (record) => record }: Telling,
): Promise<readonly SearchHit[]> {
  const shown = indexes.flatMap((index) => foundRow(facts, plan, index) ?? []);
  const positions = [...new Set(shown.flatMap(positionsShown))].sort((a, b) => a - b);
  const items = await asked.itemsAt(positions);
  const cleaned = new Map([...items].map(([position, record]) => [position, clean(record)]));
  const itemAt = (position: number) => cleaned.get(position);
  return shown.map((row) => hitOf(row, facts, { text, plan, excerpts, itemAt }));
}

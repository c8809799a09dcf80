import type { Cost } from '../core/cost.js';
import { messageOf } from '../core/text.js';
import { TimeSlices } from '../core/yieldToEventLoop.js';
import type {
  IncompleteSession,
  SearchGroup,
  SearchHit,
  SearchQuestion,
  SessionLocation,
  UnreadSession,
} from '../page/protocol/search.js';
import { toolWords } from '../import/toolWords.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import type { QueryProblem } from '../query/language/syntax.js';
import { Asking, hitsAt, type QueriedSession } from './asking.js';
import type { MarkedPrices } from './columns/readSession.js';
import { Excerpts } from './excerpts.js';
import { keyOf, type Session } from './sessions/session.js';
import type { Tallies } from './tallies.js';

/** How long what is found is collected before it is told, in milliseconds; the first is told at once. */
const TELL_MS = 50;
/** The same once all sessions are told that were asked for: then only counts go from thread to thread, all each time. */
const TELL_COUNTS_MS = 150;
/** How long a thread works on before it takes messages, in milliseconds. */
const SLICE_MS = 8;
/** In so many sessions a pattern may take too long before the search gives up; in each it takes `MAX_PATTERN_MS`. */
export const MAX_SLOW_SESSIONS = 3;

/** A session with hits, and the text that sorts it among others. */
export interface SortedGroup {
  readonly order: string;
  readonly group: SearchGroup;
}

/** What a share of the search has found since the step before, besides what it counts. Plain data. */
export interface ShardStep {
  readonly groups: readonly SortedGroup[];
  readonly unread: readonly UnreadSession[];
  readonly incomplete: readonly IncompleteSession[];
  /** How many sessions were looked at since, and how many there are. */
  readonly looked: number;
  readonly of: number;
  /** The order of the last session that was looked at. */
  readonly through: string | undefined;
  /** In how many sessions a pattern took too long since, and the pattern. */
  readonly slow: number;
  readonly problem: QueryProblem | undefined;
  /** Whether nothing more comes. */
  readonly isLast: boolean;
}

/** The last step where nothing was found since the one before. */
export const NO_STEP: ShardStep = {
  groups: [],
  unread: [],
  incomplete: [],
  looked: 0,
  of: 0,
  through: undefined,
  slow: 0,
  problem: undefined,
  isLast: true,
};

/** A question that is put to some of the sessions, one after the other, on one thread. */
export class ShardSearch {
  readonly #question: SearchQuestion;
  readonly #asking: Asking;
  readonly #tallies: Tallies;
  #groups: SortedGroup[] = [];
  #unread: UnreadSession[] = [];
  #incomplete: IncompleteSession[] = [];
  #looked = 0;
  #of = 0;
  #through: string | undefined;
  #slow = 0;
  #slowBefore = 0;
  #problem: QueryProblem | undefined;
  #told = 0;

  /** `tallies`: counts what is found. */
  constructor(question: SearchQuestion, prices: MarkedPrices, plan: QueryPlan, tallies: Tallies) {
    this.#question = question;
    this.#asking = new Asking(plan, prices, 'told');
    this.#tallies = tallies;
  }

  /** Looks at sessions in their order. The last step is there when all were looked at, or when the signal is aborted. */
  async *run(sessions: readonly Session[], signal: AbortSignal): AsyncGenerator<ShardStep, void, undefined> {
    const all = new Set(sessions);
    this.#of = all.size;
    /** The keys of all; made where one has a session behind it, because one may stand there as it counts among others. */
    let keys: Set<string> | undefined;
    const slices = new TimeSlices(SLICE_MS);
    let toldAt = -Infinity;
    for (const session of all) {
      const isOver = slices.whenOver();
      if (isOver) await isOver;
      if (signal.aborted) break;
      const looked = this.#look(session, signal);
      if (looked) await looked;
      this.#through = session.order;
      // What a file holds besides is known once it was read.
      if (session.next && !this.#question.only) {
        keys ??= new Set(Array.from(all, ({ place }) => keyOf(place)));
        const key = keyOf(session.next.place);
        if (!keys.has(key)) this.#of = all.add(session.next).size;
        keys.add(key);
      }
      if (this.#slowBefore + this.#slow >= MAX_SLOW_SESSIONS) break;
      if (performance.now() - toldAt < this.#tellMs()) continue;
      yield this.#step(false);
      toldAt = performance.now();
    }
    yield this.#step(true);
  }

  #tellMs(): number {
    return this.#groups.length > 0 || this.#told < this.#question.limits.sessions ? TELL_MS : TELL_COUNTS_MS;
  }

  #step(isLast: boolean): ShardStep {
    const step: ShardStep = {
      groups: this.#groups,
      unread: this.#unread,
      incomplete: this.#incomplete,
      looked: this.#looked,
      of: this.#of,
      through: this.#through,
      slow: this.#slow,
      problem: this.#problem,
      isLast,
    };
    this.#groups = [];
    this.#unread = [];
    this.#incomplete = [];
    this.#looked = 0;
    this.#slowBefore += this.#slow;
    this.#slow = 0;
    return step;
  }

  /** Looks at a session; at once where nothing of it has to be read, neither to answer nor to tell what was found. */
  #look(session: Session, signal: AbortSignal): Promise<void> | undefined {
    try {
      const asked = this.#asking.ask(session, signal);
      const telling =
        asked instanceof Promise
          ? asked.then((answer) => answer && this.#add(session, answer))
          : asked && this.#add(session, asked);
      if (telling) return this.#finish(session, telling, signal);
      this.#looked++;
    } catch (error) {
      this.#cannotRead(session, error, signal);
    }
    return undefined;
  }

  async #finish(session: Session, telling: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await telling;
      this.#looked++;
    } catch (error) {
      this.#cannotRead(session, error, signal);
    }
  }

  #cannotRead({ place: location }: Session, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#unread.push({ place: location, why: messageOf(error) });
    this.#looked++;
  }

  /** Counts what was found in a session, and tells it where it is to be listed: then not at once. */
  #add(session: Session, answer: QueriedSession): Promise<void> | undefined {
    const { place: location } = session;
    const { facts, indexes, problem } = answer;
    if (problem) {
      this.#unread.push({ place: location, why: problem.message });
      this.#slow++;
      this.#problem = problem;
      return undefined;
    }
    const cost = indexes.length > 0 ? this.#tallies.add(facts, indexes) : undefined;
    if (indexes.length > 0 && this.#told < this.#question.limits.sessions)
      return this.#tell(session, answer, cost);
    this.#noteMissing(location, answer);
    return undefined;
  }

  #noteMissing(location: SessionLocation, { damaged, asked: { missingTexts } }: QueriedSession): void {
    if (damaged + missingTexts > 0) this.#incomplete.push({ place: location, damaged, missingTexts });
  }

  async #tell(
    { place: location, order }: Session,
    answer: QueriedSession,
    cost: Cost | undefined,
  ): Promise<void> {
    const { text, limits } = this.#question;
    this.#told++;
    const { plan, facts, indexes } = answer;
    const excerpts = new Excerpts(plan);
    const hits = await hitsAt(answer, indexes.slice(0, limits.hitsOfSession), { text, excerpts });
    const group = { ...groupOf(location, facts, indexes.length, hits), ...(cost && { cost }) };
    this.#groups.push({ order, group });
    this.#noteMissing(location, answer);
  }
}

function groupOf(
  location: SessionLocation,
  facts: SessionFacts,
  count: number,
  hits: readonly SearchHit[],
): SearchGroup {
  const { info, whole, agentCalls } = facts;
  const agents = [...new Set(agentCalls.map(({ agent }) => agent))].filter((agent) => agent !== '');
  const endedAt = lastTimeOf(facts);
  return {
    place: location,
    title: info.title,
    agents,
    count,
    hits,
    isLive: info.live === true,
    ...(info.quotas && { quotas: info.quotas }),
    ...(info.source !== undefined && { source: info.source, sourceName: toolWords(info.source) }),
    ...(info.project !== undefined && { project: info.project }),
    ...(whole.beganAt !== undefined && { beganAt: whole.beganAt }),
    ...(endedAt > 0 && { endedAt }),
  };
}

function lastTimeOf({ records, recordKinds }: SessionFacts): number {
  if (recordKinds) return recordKinds.span?.to ?? 0;
  let last = 0;
  for (let at = 0; at < records.length; at++) last = Math.max(last, records.at(at)?.beganAt ?? 0);
  return last;
}

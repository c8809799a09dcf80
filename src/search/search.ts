import { messageOf } from '../core/text.js';
import { TimeSlices } from '../core/yieldToEventLoop.js';
import type {
  IncompleteSession,
  SearchGroup,
  SearchHit,
  SearchQuestion,
  SearchUpdate,
  SessionPlace,
  UnreadSession,
} from '../protocol/search.js';
import { couldMatch } from '../query/language/couldMatch.js';
import { planQuery, type QueryPlan } from '../query/language/plan.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import type { QueryProblem } from '../query/language/syntax.js';
import { AskedTranscript, MAX_PATTERN_MS } from './askedTranscript.js';
import { Excerpts } from './excerpts.js';
import { foundRow, hitOf, positionsShown } from './foundRows.js';
import type { MarkedPrices } from './columns/readSession.js';
import { mayHold, neededTexts } from './pruning.js';
import type { RawText } from './rawText.js';
import type { OpenSession, Session, SessionSource } from './session.js';
import { Tallies } from './tallies.js';

/** How long what is found is collected before it is told, in milliseconds; the first is told at once. */
const TELL_MS = 50;
/** How long a thread works on before it takes messages, in milliseconds. */
const SLICE_MS = 8;
/** In so many sessions a pattern may take too long before the search gives up; in each it takes `MAX_PATTERN_MS`. */
const MAX_SLOW_SESSIONS = 3;
/** How many sessions with a trouble are named; all are counted. */
const MAX_NAMED = 100;

/**
 * Asks a question of all sessions of some sources. Works only while an update is waited for. The last update has another
 * state than `searching`: once the signal is aborted, `cancelled`, with what was found before. Rejects where a source
 * cannot list its sessions, and with a RangeError for a time zone that does not exist.
 */
export async function* search(
  sources: readonly SessionSource[],
  question: SearchQuestion,
  prices: MarkedPrices,
  signal: AbortSignal,
): AsyncGenerator<SearchUpdate, void, undefined> {
  const planned = planQuery(question.text, question);
  if (!planned.ok) {
    yield { ...new Search(question, prices, undefined).update('refused'), problems: planned.problems };
    return;
  }
  const search = new Search(question, prices, planned.plan);
  yield* search.run(sources, signal);
}

/** One search and what it has found so far. */
class Search {
  readonly #question: SearchQuestion;
  readonly #prices: MarkedPrices;
  readonly #needsCosts: boolean;
  #rawTexts: readonly (readonly RawText[])[] | undefined;
  readonly #plan: QueryPlan | undefined;
  readonly #tallies: Tallies;
  readonly #unread: UnreadSession[] = [];
  readonly #incomplete: IncompleteSession[] = [];
  #problems: readonly QueryProblem[] = [];
  #groups: SearchGroup[] = [];
  #told = 0;
  #slow = 0;
  #looked = 0;
  #of = 0;

  constructor(question: SearchQuestion, prices: MarkedPrices, plan: QueryPlan | undefined) {
    this.#prices = prices;
    this.#needsCosts =
      plan !== undefined && [...plan.terms.keys()].some(({ field }) => field.startsWith('cost'));
    this.#question = question;
    this.#plan = plan;
    this.#tallies = new Tallies(question);
  }

  async *run(
    sources: readonly SessionSource[],
    signal: AbortSignal,
  ): AsyncGenerator<SearchUpdate, void, undefined> {
    const sessions = await this.#sessions(sources);
    this.#of = sessions.length;
    const slices = new TimeSlices(SLICE_MS);
    let toldAt = -Infinity;
    for (const session of sessions) {
      await slices.whenOver();
      if (signal.aborted) break;
      await this.#look(session, signal);
      if (this.#problems.length > 0) break;
      if (performance.now() - toldAt < TELL_MS) continue;
      yield this.update('searching');
      toldAt = performance.now();
    }
    yield this.update(signal.aborted ? 'cancelled' : this.#problems.length > 0 ? 'refused' : 'done');
  }

  /** How it stands; the groups are told once. */
  update(state: SearchUpdate['state']): SearchUpdate {
    const groups = this.#groups;
    this.#groups = [];
    return {
      ...{ state, groups, problems: this.#problems },
      totals: { rows: this.#tallies.rows, sessions: this.#tallies.sessions },
      facets: this.#tallies.facets(),
      histogram: this.#tallies.histogram(),
      progress: { looked: this.#looked, of: this.#of },
      unread: { count: this.#unread.length, first: this.#unread.slice(0, MAX_NAMED) },
      incomplete: { count: this.#incomplete.length, first: this.#incomplete.slice(0, MAX_NAMED) },
    };
  }

  async #sessions(sources: readonly SessionSource[]): Promise<Session[]> {
    const all = (await Promise.all(sources.map((source) => source.sessions()))).flat();
    const { only, order } = this.#question;
    const wanted = only && new Set(only.map(keyOf));
    const found = wanted ? all.filter(({ place }) => wanted.has(keyOf(place))) : all;
    const sign = order === 'newest' ? -1 : 1;
    return found.sort((a, b) => (a.order < b.order ? -sign : a.order > b.order ? sign : 0));
  }

  async #look(session: Session, signal: AbortSignal): Promise<void> {
    try {
      await this.#ask(session, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#unread.push({ place: session.place, why: messageOf(error) });
    }
    this.#looked++;
  }

  async #ask(session: Session, signal: AbortSignal): Promise<void> {
    const plan = this.#plan;
    const opened = plan && (await this.#open(session, plan, signal));
    if (!opened) return;
    const { place } = session;
    const { facts, damaged } = opened;
    const asked = new AskedTranscript(() => opened.transcript(), MAX_PATTERN_MS, signal);
    const mayMatch = couldMatch(plan.query, (term) => mayHold(term, plan, facts));
    if (mayMatch && (await this.#mayHaveTexts(session, plan))) {
      const answer = await asked.answer(plan, facts);
      if (!answer.ok) {
        this.#unread.push({ place, why: answer.problem.message });
        if (++this.#slow >= MAX_SLOW_SESSIONS) this.#problems = [answer.problem];
        return;
      }
      if (answer.indexes.length > 0) {
        this.#tallies.add(facts, answer.indexes);
        await this.#tell(place, { plan, facts, asked, indexes: answer.indexes });
      }
    }
    const { missingTexts } = asked;
    if (damaged + missingTexts > 0) this.#incomplete.push({ place, damaged, missingTexts });
  }

  /** What is known of a session; undefined where the bytes of its journal already tell that nothing in it matches. */
  async #open(session: Session, plan: QueryPlan, signal: AbortSignal): Promise<OpenSession | undefined> {
    const known = await session.known(this.#prices, this.#needsCosts);
    if (known) return known;
    return (await this.#mayHaveTexts(session, plan)) ? await session.read(this.#prices, signal) : undefined;
  }

  /** Whether the texts that a question cannot do without may stand in a session: its bytes are looked through sooner than read. */
  async #mayHaveTexts(session: Session, plan: QueryPlan): Promise<boolean> {
    for (const texts of (this.#rawTexts ??= neededTexts(plan.query)))
      if (!(await session.mayHave(texts))) return false;
    return true;
  }

  async #tell(
    place: SessionPlace,
    {
      plan,
      facts,
      asked,
      indexes,
    }: { plan: QueryPlan; facts: SessionFacts; asked: AskedTranscript; indexes: readonly number[] },
  ): Promise<void> {
    const { text, limits } = this.#question;
    if (this.#told >= limits.sessions) return;
    this.#told++;
    const shown = indexes
      .slice(0, limits.hitsOfSession)
      .flatMap((index) => foundRow(facts, plan, index) ?? []);
    const positions = [...new Set(shown.flatMap(positionsShown))].sort((a, b) => a - b);
    const items = await asked.itemsAt(positions);
    const excerpts = new Excerpts(plan);
    const itemAt = (position: number) => items.get(position);
    const hits = shown.map((row) => hitOf(row, facts, { text, plan, excerpts, itemAt }));
    this.#groups.push(groupOf(place, facts, indexes.length, hits));
  }
}

function groupOf(
  place: SessionPlace,
  facts: SessionFacts,
  count: number,
  hits: readonly SearchHit[],
): SearchGroup {
  const { info, whole, agentCalls } = facts;
  const agents = [...new Set(agentCalls.map(({ agent }) => agent))].filter((agent) => agent !== '');
  const endedAt = lastTimeOf(facts);
  return {
    ...{ place, title: info.title, agents, count, hits, isLive: info.live === true },
    ...(info.source !== undefined && { source: info.source }),
    ...(info.project !== undefined && { project: info.project }),
    ...(whole.beganAt !== undefined && { beganAt: whole.beganAt }),
    ...(endedAt > 0 && { endedAt }),
  };
}

function lastTimeOf({ records, shapes }: SessionFacts): number {
  if (shapes) return shapes.span?.to ?? 0;
  let last = 0;
  for (let at = 0; at < records.length; at++) last = Math.max(last, records.at(at)?.beganAt ?? 0);
  return last;
}

/** What tells sessions apart, whatever source they are of. */
export function keyOf({ kind, root, conversation }: SessionPlace): string {
  return JSON.stringify([kind, root, conversation]);
}

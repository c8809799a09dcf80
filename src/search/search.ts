import { onAbort } from '../core/abort.js';
import type {
  IncompleteSession,
  SearchGroup,
  SearchQuestion,
  SearchUpdate,
  UnreadSession,
} from '../page/protocol/search.js';
import { planQuery, type QueryPlan } from '../query/language/plan.js';
import type { QueryProblem } from '../query/language/syntax.js';
import type { MarkedPrices } from './columns/readSession.js';
import { mayBeOfSource } from './pruning.js';
import { OwnerIndex } from './owners.js';
import { keyOf, type Session, type SessionSource } from './sessions/session.js';
import { MAX_SLOW_SESSIONS, ShardSearch, type SortedGroup, type ShardStep } from './shardSearch.js';
import { SoleShard, type RemoteShard, type Shards } from './shards.js';
import { Tallies } from './tallies.js';

/** More hits are told in several updates, because whoever is told takes each whole and can do nothing else meanwhile. */
const MAX_HITS_AT_ONCE = 150;
/** How many sessions with a trouble are named; all are counted. */
const MAX_NAMED = 100;

/**
 * Asks a question of all sessions of some sources, those of other shares on their threads. Works only while an update is
 * waited for. The last update has another state than `searching`: once the signal is aborted, `cancelled`, with what was
 * found before. Rejects where a source cannot list its sessions, where a thread ends, and with a RangeError for a time zone
 * that does not exist.
 */
export async function* search(
  sources: readonly SessionSource[],
  question: SearchQuestion,
  prices: MarkedPrices,
  signal: AbortSignal,
  shards: Shards = SoleShard,
  owners: OwnerIndex = new OwnerIndex(),
): AsyncGenerator<SearchUpdate, void, undefined> {
  const planned = planQuery(question.text, question);
  if (!planned.ok) {
    const nothing = new Search(question, (group) => Promise.resolve(group));
    yield { ...nothing.update('refused'), problems: planned.problems };
    return;
  }
  const all = await listed(sources);
  // Of those that are of another source than is asked for nothing is read: they tell nothing of what others say.
  const { plan } = planned;
  const asked = all.filter((session) => mayBeOfSource(plan, session));
  const owned = await owners.among(asked, prices, signal);
  const sessions = question.only ? await sessionsOf(sources, question) : inOrder(all, question);
  const shared = shards.of(
    sessions.map((session) => owned.get(keyOf(session.place)) ?? session),
    owned,
  );
  const search = new Search(question, (group) => owners.withOthers(group, prices));
  const { own } = shared;
  yield* search.run({ own, others: shared.others(question, owners), plan, prices }, signal);
}

/** What a search goes through: the sessions of its own thread, and what others look at meanwhile. */
interface Searched {
  readonly own: readonly Session[];
  readonly others: readonly RemoteShard[];
  readonly plan: QueryPlan;
  readonly prices: MarkedPrices;
}

/** What one share has found, as far as it has come. */
interface Progress {
  readonly groups: SortedGroup[];
  /** See `RemoteShard`. */
  readonly isApart: boolean;
  of: number;
  through: string | undefined;
  isOver: boolean;
}

/** One search and what it has found so far. */
class Search {
  readonly #question: SearchQuestion;
  readonly #withOthers: (group: SearchGroup) => Promise<SearchGroup>;
  readonly #tallies: Tallies;
  readonly #unread: UnreadSession[] = [];
  readonly #incomplete: IncompleteSession[] = [];
  #problems: readonly QueryProblem[] = [];
  #archiveProblem: string | undefined;
  readonly #groups: SearchGroup[] = [];
  #progress: readonly Progress[] = [];
  #told = 0;
  #slow = 0;
  #looked = 0;

  /** `withOthers`: says where else the rows of a session stand. */
  constructor(question: SearchQuestion, withOthers: (group: SearchGroup) => Promise<SearchGroup>) {
    this.#question = question;
    this.#withOthers = withOthers;
    this.#tallies = new Tallies(question);
  }

  async *run(
    { own, others, plan, prices }: Searched,
    signal: AbortSignal,
  ): AsyncGenerator<SearchUpdate, void, undefined> {
    const mine = new ShardSearch(this.#question, prices, plan, this.#tallies).run(own, signal);
    const first = newProgress(false);
    const rest = others.map(({ isApart }) => newProgress(isApart));
    this.#progress = [first, ...rest];
    const leave = onAbort(signal, () => others.forEach((other) => other.cancel()));
    try {
      while (this.#progress.some(({ isOver }) => !isOver) && this.#problems.length === 0) {
        if (first.isOver)
          await Promise.race(
            others.flatMap((other, at) => (rest[at]?.isOver === true ? [] : other.arrived())),
          );
        else {
          const { value } = await mine.next();
          if (value) await this.#take(first, value);
        }
        for (const [at, progress] of rest.entries())
          for (const { step, counted, archiveProblem } of others[at]?.taken() ?? []) {
            this.#tallies.addTaken(counted);
            this.#archiveProblem ??= archiveProblem;
            await this.#take(progress, step);
          }
        this.#merge();
        if (this.#progress.some(({ isOver }) => !isOver)) yield this.update('searching');
      }
      while (this.#groups.length > this.#nextGroups()) yield this.update('searching');
      yield this.update(signal.aborted ? 'cancelled' : this.#problems.length > 0 ? 'refused' : 'done');
    } finally {
      leave();
      for (const other of others) other.end();
    }
  }

  async #take(progress: Progress, step: ShardStep): Promise<void> {
    for (const { order, group } of step.groups)
      progress.groups.push({ order, group: await this.#withOthers(group) });
    progress.of = step.of;
    progress.through = step.through;
    progress.isOver = step.isLast;
    for (const each of step.unread) this.#unread.push(each);
    for (const each of step.incomplete) this.#incomplete.push(each);
    this.#looked += step.looked;
    this.#slow += step.slow;
    if (this.#slow >= MAX_SLOW_SESSIONS && step.problem) this.#problems = [step.problem];
  }

  /** Puts what may be told in the order that was asked for: nothing that comes before it is to be expected of any share. */
  #merge(): void {
    const isBefore = beforeIn(this.#question);
    const inOrder = this.#progress.filter(({ isApart }) => !isApart);
    for (const { isApart, groups } of this.#progress)
      if (isApart) for (const placed of groups.splice(0)) this.#add(placed);
    for (;;) {
      const heads = inOrder.filter(({ groups }) => groups.length > 0);
      const [some, ...others] = heads;
      if (!some) return;
      const next = others.reduce((best, each) => (isBefore(headOf(each), headOf(best)) ? each : best), some);
      const order = headOf(next);
      const isReady = ({ groups, isOver, through }: Progress) =>
        isOver || groups.length > 0 || (through !== undefined && !isBefore(through, order));
      if (!inOrder.every(isReady) && this.#problems.length === 0) return;
      const placed = next.groups.shift();
      if (placed) this.#add(placed);
    }
  }

  #add({ group }: SortedGroup): void {
    if (this.#told++ < this.#question.limits.sessions) this.#groups.push(group);
  }

  /** How many of the groups that wait are told next. */
  #nextGroups(): number {
    let hits = 0;
    const beyond = this.#groups.findIndex((group) => (hits += group.hits.length) > MAX_HITS_AT_ONCE);
    return beyond < 0 ? this.#groups.length : Math.max(1, beyond);
  }

  /** How it stands; each group is told once. */
  update(state: SearchUpdate['state']): SearchUpdate {
    const groups = this.#groups.splice(0, this.#nextGroups());
    const { rows, sessions, cost } = this.#tallies;
    return {
      state,
      groups,
      problems: this.#problems,
      totals: { rows, sessions, ...(cost && { cost }) },
      facets: this.#tallies.facets(),
      histogram: this.#tallies.histogram(),
      progress: { looked: this.#looked, of: this.#progress.reduce((sum, each) => sum + each.of, 0) },
      unread: { count: this.#unread.length, first: this.#unread.slice(0, MAX_NAMED) },
      incomplete: { count: this.#incomplete.length, first: this.#incomplete.slice(0, MAX_NAMED) },
      ...(this.#archiveProblem !== undefined && { archiveProblem: this.#archiveProblem }),
    };
  }
}

function newProgress(isApart: boolean): Progress {
  return { groups: [], isApart, of: 0, through: undefined, isOver: false };
}

function headOf({ groups }: Progress): string {
  return groups[0]?.order ?? '';
}

/** Whether one session is looked at before another, by their orders. */
function beforeIn({ order }: SearchQuestion): (one: string, other: string) => boolean {
  return order === 'newest' ? (one, other) => one > other : (one, other) => one < other;
}

/** The sessions that a question is put to, in the order in which they are looked at. */
export async function sessionsOf(
  sources: readonly SessionSource[],
  question: SearchQuestion,
): Promise<readonly Session[]> {
  const { only } = question;
  const all = await listed(sources, only);
  const wanted = only && new Set(only.map(keyOf));
  return inOrder(wanted ? all.filter(({ place }) => wanted.has(keyOf(place))) : all, question);
}

async function listed(
  sources: readonly SessionSource[],
  only?: SearchQuestion['only'],
): Promise<readonly Session[]> {
  return (await Promise.all(sources.map((source) => source.sessions(only)))).flat();
}

function inOrder(sessions: readonly Session[], question: SearchQuestion): readonly Session[] {
  const isBefore = beforeIn(question);
  return sessions.toSorted((a, b) => (isBefore(a.order, b.order) ? -1 : isBefore(b.order, a.order) ? 1 : 0));
}

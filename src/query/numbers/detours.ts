import { CostTally } from '../../core/costTally.js';
import { addCosts, costOf, knownAmount, NO_COST, type Cost, type RequestCost } from '../../core/cost.js';
import { GenerationMap } from '../../core/generationMap.js';
import { appendAll } from '../../core/lists.js';
import { nanos } from '../../core/money.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { CacheUse } from './context/cacheUse.js';
import { SpentByRecord } from './spentByRecord.js';
import type { CallNode } from './callTree.js';
import { RereadFiles } from './rereadFiles.js';
import type { Reading } from './transcriptReader.js';
import { clipName } from './values.js';
import { CycleDetector, LOOP_TIMES, MAX_CYCLE } from '../../core/cycles.js';

/** Shorter than this, in milliseconds, nothing is idle time. */
const MIN_IDLE_MS = 10_000;

/** A stretch of a run in which nothing ran and nobody was waited for, in milliseconds since 1970. */
interface IdleStretch {
  readonly start: number;
  readonly end: number;
  /** The position of the first record after it. */
  readonly position: number;
  /** The entry call of the run. */
  readonly call: CallNode;
}

/** A run whose start and requests are recorded. */
interface TimedRun {
  readonly entry: CallNode;
  /** Until when something was going on, as far as is known. */
  until: number;
  /** The stretches so far, in the order of time; of what is recorded later, one that covers them takes them away. */
  readonly stretches: IdleStretch[];
}

/**
 * Finds idle time within runs: between two records of which neither tells that a request, a tool or the wait for a person
 * went on meanwhile, in any of the run's calls. It can be told only where every request is recorded with how long it took,
 * as in our own runs; of any other run nothing is said. The time between two runs is a person's.
 */
class IdleTime {
  readonly #runs = new Map<number, TimedRun>();
  readonly #untimed = new Set<number>();

  add(reading: Reading): void {
    const { facts, call, position } = reading;
    const { time } = facts;
    if (time === 0 || this.#untimed.has(call.run)) return;
    const run = this.#runs.get(call.run);
    if (!run) {
      if (facts.type === 'callStart' && call.parent === undefined)
        this.#runs.set(call.run, { entry: call, until: time, stretches: [] });
      return;
    }
    if (run.entry.outcome !== undefined && facts.type !== 'callEnd') return;
    // Models are at work then, for nobody knows how long.
    const isUntimed =
      facts.role === 'assistant'
        ? !call.hasRequests
        : facts.type === 'request' && (facts.durationMs ?? 0) === 0 && !facts.isFailure;
    if (isUntimed) {
      this.#untimed.add(call.run);
      this.#runs.delete(call.run);
      return;
    }
    cover(run, time - busyFor(reading), time, position);
  }

  /** All stretches, those of one run in the order of time. */
  list(): IdleStretch[] {
    return [...this.#runs.values()].flatMap(({ stretches }) => stretches);
  }
}

/** For how long before its record something was at work or waited for a person. */
function busyFor({ facts, result }: Reading): number {
  if (facts.type === 'request') return facts.durationMs ?? 0;
  if (facts.type === 'approval') return facts.event?.waitedMs ?? 0;
  if (!result || result.made?.isDispatch === true) return 0;
  return (result.tookMs ?? 0) + (result.made?.waitedMs ?? 0);
}

function cover(run: TimedRun, start: number, end: number, position: number): void {
  const { stretches, entry } = run;
  if (start - run.until >= MIN_IDLE_MS)
    stretches.push({ start: run.until, end: start, position, call: entry });
  else {
    // What took long is recorded when it ends: it may have gone on during a stretch that seemed idle.
    for (let last = stretches.at(-1); last && last.end > start; last = stretches.at(-1)) {
      stretches.pop();
      appendAll(stretches, without(last, start, Math.min(end, last.end)));
      if (end < last.end) return;
      if (start > last.start) break;
    }
  }
  run.until = Math.max(run.until, end);
}

/** What is left of a stretch without a part of it, as far as that is still long enough. */
function without(stretch: IdleStretch, from: number, to: number): IdleStretch[] {
  return [
    { ...stretch, end: Math.min(stretch.end, from) },
    { ...stretch, start: Math.max(stretch.start, to) },
  ].filter(({ start, end }) => end - start >= MIN_IDLE_MS);
}

/** A call that was made before in its loop: its number among all tool calls, and where the message stands that makes it. */
type RepeatedCall = Pick<Step, 'number' | 'position'>;

/** A tool call as a loop may begin with it. */
interface Step {
  /** Its number among all tool calls. */
  readonly number: number;
  readonly tool: string;
  /** See `argumentHash`. */
  readonly hash: number;
  readonly position: number;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
}

/** A stretch in which a call of an agent made the same tool calls again and again. */
interface Loop {
  readonly call: CallNode;
  readonly agent: string;
  /** The tool that was called last. */
  readonly tool: string;
  /** The first tool call of it. */
  readonly first: Step;
  /** When the last tool call of it was made. */
  end: number;
}

/** The tool calls of one call of an agent. */
interface Steps {
  cycles: CycleDetector<Step>;
  /** The last steps, newest last: as many as the longest cycle takes until it is found. */
  readonly last: Step[];
  loop: Loop | undefined;
}

/**
 * Finds loops: the same tool call, or the same cycle of up to `MAX_CYCLE`, three times or more in a row, with the same
 * arguments letter by letter, in one call of an agent. What a person says between ends it. Whether a loop was of use, as
 * that of somebody who waits for something, is not known.
 */
class RepeatedCalls {
  /** By the indexes of their calls, as long as these go on. */
  readonly #steps = new Map<number, Steps>();
  readonly #onAgain: (step: RepeatedCall) => void;

  /** `onAgain` is told each call that repeats one of its loop. */
  constructor(onAgain: (step: RepeatedCall) => void) {
    this.#onAgain = onAgain;
  }

  /** Takes the next item in; gives the loops that begin with it, one that goes on is extended. */
  add({ facts, call, made, position }: Reading): readonly Loop[] {
    if (facts.role === 'user' || facts.type === 'callEnd') this.#steps.delete(call.index);
    if (made.length === 0) return NONE;
    let begun = NONE;
    for (const [order, { name: tool, hash }] of facts.calls.entries()) {
      const number = made[order]?.number ?? 0;
      // What is too long to be compared is like nothing.
      if (hash === 0) {
        this.#steps.delete(call.index);
        continue;
      }
      const loop = addStep(
        this.#stepsOf(call),
        { number, tool, hash, position, time: facts.time },
        { facts, call },
        this.#onAgain,
      );
      if (loop) begun = [...begun, loop];
    }
    return begun;
  }

  #stepsOf({ index }: CallNode): Steps {
    let steps = this.#steps.get(index);
    if (!steps)
      this.#steps.set(index, (steps = { cycles: new CycleDetector(isSame), last: [], loop: undefined }));
    return steps;
  }
}

const NONE: readonly Loop[] = [];

function isSame(one: Step, other: Step): boolean {
  return one.hash === other.hash && one.tool === other.tool;
}

/** Adds a tool call to those of its call of an agent; gives the loop that is known of by it. */
function addStep(
  steps: Steps,
  step: Step,
  { facts: { place }, call }: Pick<Reading, 'facts' | 'call'>,
  onAgain: (step: RepeatedCall) => void,
): Loop | undefined {
  const { cycles, last, loop } = steps;
  last.push(step);
  if (last.length > LOOP_TIMES * MAX_CYCLE) last.shift();
  const period = cycles.add(step, LOOP_TIMES);
  if (period === 0) steps.loop = undefined;
  else if (loop) {
    loop.end = step.time;
    onAgain(step);
  } else {
    const first = last.at(-LOOP_TIMES * period) ?? step;
    last.slice(-(LOOP_TIMES - 1) * period).forEach(onAgain);
    steps.loop = { call, agent: place.agent ?? call.agent, tool: step.tool, first, end: step.time };
    return steps.loop;
  }
  return undefined;
}

/**
 * What cost time or money and brought nothing, as far as the record proves it. `retry`: a request that repeats one of the
 * same call which failed, before its model has answered. `idle`: a stretch of a run in which nothing ran and nobody was
 * waited for, see `IdleTime`. `loop`: the same tool calls again and again, see `RepeatedCalls`. `reread`: an unchanged file
 * that was read again, see `RereadFiles`. `person`: a wait for a person's approval, which is counted apart; `compaction`: what
 * was said before is no longer sent, see `CompactionSign`.
 */
export type DetourKind = 'retry' | 'idle' | 'loop' | 'reread' | 'compaction' | 'person';

/** What a timeline marks: waits for a person stand there as such. */
export type MarkKind = Exclude<DetourKind, 'person'>;

/** One detour, as a timeline marks it; times in milliseconds since 1970. */
export interface Detour {
  readonly kind: MarkKind;
  readonly call: CallNode;
  readonly agent: string;
  /** The position of the record that proves it; of a loop, where it begins. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
  /** The tool or the model; '' for none. */
  readonly label: string;
}

/** All detours of one kind. */
export interface DetourTotal {
  readonly kind: DetourKind;
  readonly count: number;
  /** How long they took together, in milliseconds; 0 where that is unknown. */
  readonly ms: number;
  /** The position of the first. */
  readonly first: number;
}

/**
 * What was paid for and brought nothing, each request once. `retry`: requests that failed and were made again. `loop`: requests
 * of which all calls repeat what a loop has done before. `reread`: requests all of whose calls read files again that had not
 * changed. `cache`: what tokens cost more than they would have from the cache that held them, where neither a compaction nor
 * another model is why. `run`: all requests of a run that failed or was stopped.
 */
export type WasteKind = 'retry' | 'loop' | 'reread' | 'cache' | 'run';

/** What was wasted in one way. */
export interface Wasted {
  readonly kind: WasteKind;
  readonly count: number;
  readonly cost: Cost;
  /** The position of the record with which the first begins. */
  readonly first: number;
}

/** What was wasted in several sessions. */
export class WastedSums {
  readonly #sums = new Map<WasteKind, { readonly session: string; readonly position: number; cost: Cost }>();

  add(session: string, wasted: readonly Wasted[]): void {
    for (const { kind, first: position, cost } of wasted) {
      const known = this.#sums.get(kind);
      if (known) known.cost = addCosts(known.cost, cost);
      else this.#sums.set(kind, { session, position, cost });
    }
  }

  /** Of each kind what it cost, and where the first of it stands. */
  list() {
    return [...this.#sums].map(([kind, { cost, ...first }]) => ({ kind, first, cost }));
  }

  /** Of all together. */
  get cost(): Cost {
    return this.list().reduce((sum, { cost }) => addCosts(sum, cost), NO_COST);
  }
}

/** Of how many of the latest messages it is remembered how many of their calls were of use. */
const REMEMBERED = 10_000;

/** Finds what was wasted in a transcript, record by record. */
class Waste {
  readonly #prices: Prices;
  readonly #spent = new SpentByRecord();
  /** The positions of requests that brought nothing. */
  readonly #kinds = new Map<number, WasteKind>();
  /** How many calls of a message may have been of use, by its position. */
  readonly #useful = new GenerationMap<number, number>(REMEMBERED);
  /** The calls that were of none, by their numbers. */
  readonly #useless = new GenerationMap<number, true>(REMEMBERED);
  /** What reading a cache would have saved, by position. */
  readonly #dearer = new Map<number, RequestCost>();
  readonly #caches = new Map<number, CacheUse>();
  /** Of each run that goes on, the position of its first record. */
  readonly #begun = new Map<number, number>();
  readonly #abandoned: { readonly from: number; readonly to: number }[] = [];

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  add(reading: Reading, cost: RequestCost | undefined): void {
    this.#spent.add(reading, cost);
    const { facts, call, position, made } = reading;
    if (made.length > 0) this.#useful.set(position, made.length);
    if (cost?.amount !== undefined) this.#cache(reading, cost);
    if (call.parent !== undefined) return;
    if (!this.#begun.has(call.run) || facts.type === 'callStart') this.#begun.set(call.run, position);
    if (facts.type === 'callEnd' && facts.isFailure)
      this.#abandoned.push({ from: this.#begun.get(call.run) ?? position, to: position });
  }

  /** A request that brought nothing. */
  request(kind: WasteKind, position: number): void {
    if (!this.#kinds.has(position)) this.#kinds.set(position, kind);
  }

  /** A tool call that brought nothing: its request did not, where this is true of all that it made. */
  toolCall(kind: WasteKind, { number, position }: RepeatedCall): void {
    if (this.#useless.get(number) === true) return;
    this.#useless.set(number, true);
    const left = (this.#useful.get(position) ?? 0) - 1;
    this.#useful.set(position, left);
    if (left === 0) this.request(kind, position);
  }

  /** What was wasted, the most first; a request of an abandoned run is counted there alone. */
  list(): readonly Wasted[] {
    const spent = this.#spent.finish();
    const sums = new Map<WasteKind, { count: number; first: number; readonly costs: CostTally }>();
    const tell = (kind: WasteKind, position: number, cost: Cost) => {
      const sum = sums.get(kind) ?? { count: 0, first: position, costs: new CostTally() };
      sums.set(kind, sum);
      sum.count++;
      sum.first = Math.min(sum.first, position);
      sum.costs.addCost(cost);
    };
    const isAbandoned = (position: number) =>
      this.#abandoned.some(({ from, to }) => position >= from && position <= to);
    for (const [position, kind] of this.#kinds) {
      const each = isAbandoned(position) ? undefined : spent.get(position);
      if (each) tell(kind, position, costOf(each.cost, each.requests));
    }
    for (const [position, cost] of this.#dearer)
      if (!this.#kinds.has(position) && !isAbandoned(position)) tell('cache', position, costOf(cost));
    for (const { from, to } of this.#abandoned) {
      const costs = new CostTally();
      for (let position = from; position <= to; position++) {
        const each = spent.get(position);
        if (each) costs.add(each.cost, each.requests);
      }
      if (costs.spent) tell('run', from, costs.spent);
    }
    return [...sums]
      .map(([kind, { count, first, costs }]) => ({ kind, count, first, cost: costs.spent ?? NO_COST }))
      .sort((a, b) => knownAmount(b.cost) - knownAmount(a.cost));
  }

  #cache({ facts, call, position, isCompaction }: Reading, cost: RequestCost): void {
    const { usage, model, time, type } = facts;
    const isCounted = call.tokens.reporter === (type === 'request' ? 'requests' : 'messages');
    if (!usage || !isCounted || usage.requests !== undefined) return;
    // An entry agent goes on with its window through all runs.
    const window = call.parent === undefined ? -1 : call.index;
    const cache = this.#caches.get(window) ?? new CacheUse();
    this.#caches.set(window, cache);
    const asked = { model, sentAt: 0, answeredAt: time, compacted: isCompaction };
    const broken = cache.next(usage, { ...asked, systemChanged: false, toolsChanged: false });
    if (!broken || broken.reasons.some((reason) => reason === 'compaction' || reason === 'model')) return;
    if (cost.amount === undefined || usage.cost !== undefined) return;
    const { cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage;
    const lost = broken.held - broken.read;
    const written = Math.max(0, cacheWriteTokens - lost);
    const spared = this.#prices.costOf({
      model: model || call.model,
      time,
      usage: {
        ...usage,
        cachedInputTokens: broken.held,
        ...(cacheWriteTokens > 0 && { cacheWriteTokens: written }),
        ...(cacheWrite1hTokens > 0 && { cacheWrite1hTokens: Math.min(cacheWrite1hTokens, written) }),
      },
    });
    const amount = spared.amount === undefined ? undefined : nanos(cost.amount - spared.amount);
    if (amount !== undefined && amount > 0) this.#dearer.set(position, { provenance: 'estimated', amount });
  }
}

/** How many of each kind are marked; all are counted. */
const MAX_MARKS = 2_000;

interface Tally {
  count: number;
  ms: number;
  readonly first: number;
  readonly marks: Detour[];
}

/** Finds the detours of a transcript, item by item. */
export class Detours {
  readonly #tallies = new Map<DetourKind, Tally>();
  readonly #idle = new IdleTime();
  readonly #repeated = new RepeatedCalls((call) => this.#waste.toolCall('loop', call));
  readonly #reread = new RereadFiles();
  /** A loop is as long as its last tool call says. */
  readonly #loops: Loop[] = [];
  /** The indexes of the calls whose latest request failed and whose model has not answered since, each with where that stands. */
  readonly #failing = new Map<number, number>();
  readonly #waste: Waste;

  /** `prices`: what requests would have cost. */
  constructor(prices: Prices = NO_PRICES) {
    this.#waste = new Waste(prices);
  }

  /** `cost` is what `addRequest` gave for it; left out, nothing is known of what was wasted. */
  add(reading: Reading, cost?: RequestCost): void {
    this.#waste.add(reading, cost);
    this.#idle.add(reading);
    const { facts, call } = reading;
    if (facts.type === 'request') {
      const failed = this.#failing.get(call.index);
      if (failed !== undefined) {
        this.#note('retry', reading, facts.model || call.model, facts.durationMs ?? 0);
        this.#waste.request('retry', failed);
      }
      if (facts.isFailure) this.#failing.set(call.index, reading.position);
      else this.#failing.delete(call.index);
    } else if (facts.role === 'user' || facts.role === 'assistant') this.#failing.delete(call.index);
    const waitedMs = facts.type === 'approval' ? (facts.event?.waitedMs ?? 0) : 0;
    if (waitedMs > 0) this.#note('person', reading, facts.toolName, waitedMs);
    appendAll(this.#loops, this.#repeated.add(reading));
    const { result, isCompaction } = reading;
    if (this.#reread.add(reading)) {
      this.#note('reread', reading, result?.tool ?? '', result?.tookMs ?? 0);
      const { made } = result ?? {};
      if (made) this.#waste.toolCall('reread', { number: made.number, position: made.askedAt });
    }
    if (isCompaction) this.#note('compaction', reading, '', 0);
  }

  /** What was paid for and brought nothing, the most first. */
  wasted(): readonly Wasted[] {
    return this.#waste.list();
  }

  /** What a timeline marks. */
  get marks(): readonly Detour[] {
    const marksOf = (kind: MarkKind) => this.#tallies.get(kind)?.marks ?? [];
    const idle = this.#idle.list().slice(0, MAX_MARKS);
    return [
      ...marksOf('retry'),
      ...idle.map(({ call, position, start, end }) => {
        return { kind: 'idle' as const, call, agent: call.agent, position, start, end, label: '' };
      }),
      ...this.#loops.slice(0, MAX_MARKS).map(({ call, agent, tool, first: { position, time }, end }) => {
        return {
          kind: 'loop' as const,
          call,
          agent,
          position,
          start: time || end,
          end,
          label: clipName(tool),
        };
      }),
      ...marksOf('reread'),
      ...marksOf('compaction'),
    ];
  }

  /** The kinds that occur, each with its number. */
  totals(): DetourTotal[] {
    const stretches = (kind: 'idle' | 'loop', all: readonly Pick<Detour, 'start' | 'end' | 'position'>[]) => {
      const [first] = all;
      const ms = all.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);
      return first ? [{ kind, count: all.length, ms, first: first.position }] : [];
    };
    const loops = this.#loops.map(({ first, end }) => ({ start: first.time, end, position: first.position }));
    return [
      ...[...this.#tallies].map(([kind, tally]) => ({
        kind,
        count: tally.count,
        ms: tally.ms,
        first: tally.first,
      })),
      ...stretches('loop', loops),
      ...stretches('idle', this.#idle.list()),
    ];
  }

  #note(kind: DetourKind, { facts, call, position }: Reading, label: string, ms: number): void {
    const known = this.#tallies.get(kind) ?? { count: 0, ms: 0, first: position, marks: [] };
    this.#tallies.set(kind, known);
    known.count++;
    known.ms += ms;
    if (kind === 'person' || known.marks.length >= MAX_MARKS) return;
    const end = facts.time;
    const agent = facts.place.agent ?? call.agent;
    known.marks.push({ kind, call, agent, position, start: end - ms, end, label: clipName(label) });
  }
}

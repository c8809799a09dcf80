import { someTime } from '../numbers/requestPairing.js';
import { CallCosts } from '../numbers/callCosts.js';
import { CallTokens } from '../numbers/callTokens.js';
import { isWork, type CallNode } from '../numbers/callTree.js';
import { TokenSum, type ReportedBy } from '../numbers/tokens.js';
import { countRun, NO_RUNS } from '../numbers/runCount.js';
import type { Reading } from '../numbers/transcriptReader.js';
import { CostTally } from '../../core/costTally.js';
import { NO_COST, type Cost, type RequestCost, type WhyCounts } from '../../core/cost.js';
import type { NanoDollars } from '../../core/money.js';
import { PackedNumbers, PackedValues } from '../numbers/packedNumbers.js';
import { MadeList } from './gatheredUnits.js';
import type { Gathered, SpanFacts } from './sessionFacts.js';

type Reporter = keyof ReportedBy<unknown>;
const REPORTERS: readonly Reporter[] = ['requests', 'messages', 'end'];

/** What one call has used of models in the last of its runs, which may go on. */
interface Used {
  readonly run: number;
  /** The whole call: what kind of its records counts is the same in each of its runs. */
  readonly call: CallNode;
  readonly tokens: CallTokens;
  readonly costs: CallCosts;
}

/** What calls have used in runs that they have left, by the kind of record that tells of it; most of it is 0. */
class DepartedUsage {
  readonly #columns = new Map<string, PackedNumbers>();
  readonly #calls = new PackedValues<CallNode>();
  /** Why costs are unknown, by the number of their part; most are known. */
  readonly #whys = new Map<number, WhyCounts>();

  get length(): number {
    return this.#calls.length;
  }

  /** Keeps what a call has used in a run that it has left. */
  add({ run, call, tokens, costs }: Used): void {
    for (const [by, reporter] of REPORTERS.entries()) {
      const sum = new TokenSum();
      tokens.each((_, used) => sum.add(used), reporter);
      const tally = new CostTally();
      costs.each(reporter, (_, cost) => tally.addCost(cost));
      const { tokens: used } = sum;
      const { spent } = tally;
      if (!used && !spent) continue;
      this.#calls.push(call);
      const { exact, priced, estimated, unknown, why } = spent ?? NO_COST;
      if (why) this.#whys.set(this.#calls.length - 1, why);
      this.#push({ run, by, hasTokens: used ? 1 : 0, isEstimated: used?.estimated === true ? 1 : 0 });
      this.#push({ input: used?.input ?? 0, output: used?.output ?? 0, unknown });
      this.#push({ exact: exact.amount, exactOf: exact.requests, priced: priced.amount });
      this.#push({ pricedOf: priced.requests, guess: estimated.amount, guessOf: estimated.requests });
    }
  }

  runOf(part: number): number {
    return this.#at('run', part);
  }

  /** Adds what counts of a part to sums. */
  addTo(part: number, tokens: TokenSum, costs: CostTally): void {
    const call = this.#calls.at(part);
    const by = REPORTERS[this.#at('by', part)];
    if (!call) return;
    if (call.tokens.reporter === by && this.#at('hasTokens', part) === 1) {
      const [input, output] = [this.#at('input', part), this.#at('output', part)];
      tokens.add({ input, output, estimated: this.#at('isEstimated', part) === 1 });
    }
    if (reporterOf(call) === by) costs.addCost(this.#costOf(part));
  }

  #costOf(part: number): Cost {
    const share = (name: string) => ({
      amount: this.#at(name, part) as NanoDollars,
      requests: this.#at(`${name}Of`, part),
    });
    const [exact, priced, estimated] = [share('exact'), share('priced'), share('guess')];
    const why = this.#whys.get(part);
    return { exact, priced, estimated, unknown: this.#at('unknown', part), ...(why && { why }) };
  }

  #at(name: string, part: number): number {
    return this.#columns.get(name)?.at(part) ?? 0;
  }

  #push(cells: Readonly<Record<string, number>>): void {
    for (const [name, number] of Object.entries(cells)) {
      const column = this.#columns.get(name) ?? new PackedNumbers();
      this.#columns.set(name, column);
      column.push(number);
    }
  }
}

/** The kind of records of which a call's costs are made. */
function reporterOf({ tokens, costs }: CallNode): Reporter | undefined {
  return tokens.reporter ?? costs.reporter;
}

/** How far a run extends. */
interface Extent {
  last: number;
  /** In milliseconds; 0 where it is not known. */
  start: number;
  end: number;
  /** UNKNOWN where it is not known. */
  endedMs: number;
}

const UNKNOWN = -1;

/** The runs of a session, as `countRun` tells them apart; of what was recorded here, each with its entry call. */
export class GatheredRuns {
  /** Of each its entry call; in an imported session, that of its first record. */
  readonly #roots = new PackedValues<CallNode>();
  readonly #ids = new PackedValues<string>();
  /** What the records of the first run call it; of an imported session, mostly those of all. */
  #firstId: string | undefined;
  readonly #first = new PackedNumbers();
  /** The extents of runs that were left, and of those that may still go on: of imported ones that is the last. */
  readonly #left = {
    last: new PackedNumbers(),
    start: new PackedNumbers(),
    end: new PackedNumbers(),
    endedMs: new PackedNumbers(),
  };
  readonly #open = new Map<number, Extent>();
  readonly #counted = { ...NO_RUNS };
  /** The run of each entry call that was recorded here, by the number that the tree of calls gives it. */
  readonly #recorded = new Map<number, number>();
  readonly #entries = new Map<number, CallNode>();
  /** What each call has used in the last of its runs, by its index: it never comes back to one that it has left. */
  readonly #lastUsed = new Map<number, Used>();
  readonly #leftParts = new DepartedUsage();

  /** Takes the next item; gives the run that it belongs to, and the id of that. */
  add(
    reading: Reading,
    cost: RequestCost | undefined,
  ): { readonly run: number; readonly id: string | undefined } {
    const run = this.#runOf(reading);
    const { facts, call, position } = reading;
    const extent = this.#open.get(run);
    if (extent) {
      extent.last = position;
      if (facts.time > 0 && isWork(facts)) {
        extent.start = Math.min(extent.start || facts.time, facts.time);
        extent.end = Math.max(extent.end, facts.time);
      }
      if (facts.type === 'callEnd' && call === this.#roots.at(run))
        extent.endedMs = facts.durationMs ?? UNKNOWN;
    }
    const before = this.#lastUsed.get(call.index);
    const used = before?.run === run ? before : this.#beginUsed(call, run, before);
    used.tokens.add(facts, '');
    used.costs.add(facts, '', cost);
    return { run, id: this.#idOf(facts.place.run, run) };
  }

  /** The runs of an imported session, whose records all name one, are told apart by their numbers. */
  #idOf(id: string | undefined, run: number): string | undefined {
    const isTold = this.#counted.recordedHere || run === 0 || id !== this.#firstId;
    return isTold ? id : `${id ?? 'r1'}.${run + 1}`;
  }

  /** The facts of those that there are now. */
  list(): Gathered<SpanFacts> {
    const parts = this.#partsByRun();
    return new MadeList(this.#roots.length, (run) => this.#at(run, parts));
  }

  /** What stands before the first run, such as a title, belongs to it. */
  #runOf({ facts, call, position }: Reading): number {
    const { type, place, role, isAbsorbed } = facts;
    if (call.parent === undefined) this.#entries.set(call.run, call);
    if (countRun(this.#counted, { type, depth: place.depth, role, isAbsorbed })) {
      const run = this.#begin(this.#entries.get(call.run) ?? call, place.run, position);
      if (this.#counted.recordedHere) this.#recorded.set(call.run, run);
    }
    return this.#recorded.get(call.run) ?? Math.max(0, this.#roots.length - 1);
  }

  #begin(root: CallNode, id: string | undefined, position: number): number {
    const run = this.#roots.length;
    if (run > 0) this.#leave(run - 1);
    this.#roots.push(root);
    if (run === 0) this.#firstId = id;
    this.#ids.push(this.#idOf(id, run) ?? '');
    this.#first.push(position);
    this.#open.set(run, { last: position, start: 0, end: 0, endedMs: UNKNOWN });
    return run;
  }

  /** Another run begins behind one; what was recorded here may still come back to it. */
  #leave(run: number): void {
    const { last, start, end, endedMs } = this.#extentOf(run);
    this.#left.last.push(last);
    this.#left.start.push(start);
    this.#left.end.push(end);
    this.#left.endedMs.push(endedMs);
    if (!this.#counted.recordedHere) this.#open.delete(run);
  }

  #extentOf(run: number): Extent {
    const { last, start, end, endedMs } = this.#left;
    return (
      this.#open.get(run) ?? {
        last: last.at(run),
        start: start.at(run),
        end: end.at(run),
        endedMs: endedMs.at(run),
      }
    );
  }

  #beginUsed(call: CallNode, run: number, before: Used | undefined): Used {
    const used = { run, call, tokens: new CallTokens(), costs: new CallCosts() };
    this.#lastUsed.set(call.index, used);
    if (before) {
      used.costs.goOn(before.costs);
      this.#leftParts.add(before);
    }
    return used;
  }

  /** Of each run what calls have used in it that have left it since, and what those have that have not. */
  #partsByRun(): RunParts {
    const newest = new Map<number, Used[]>();
    for (const used of this.#lastUsed.values()) {
      const known = newest.get(used.run);
      if (known) known.push(used);
      else newest.set(used.run, [used]);
    }
    const parts = this.#leftParts.length;
    const first = new Int32Array(this.#roots.length).fill(-1);
    const next = new Int32Array(parts);
    // From behind, so that they follow each other as they were added.
    for (let part = parts - 1; part >= 0; part--) {
      const run = this.#leftParts.runOf(part);
      next[part] = first[run] ?? -1;
      first[run] = part;
    }
    return { newest, first, next };
  }

  #at(run: number, { newest, first, next }: RunParts): SpanFacts {
    const [tokens, costs] = [new TokenSum(), new CostTally()];
    for (let part = first[run] ?? -1; part >= 0; part = next[part] ?? -1)
      this.#leftParts.addTo(part, tokens, costs);
    for (const { call, ...used } of newest.get(run) ?? []) {
      if (call.tokens.reporter) used.tokens.each((_, count) => tokens.add(count), call.tokens.reporter);
      const reporter = reporterOf(call);
      if (reporter) used.costs.each(reporter, (_, cost) => costs.addCost(cost));
    }
    const root = this.#roots.at(run);
    const { last, start, end, endedMs } = this.#extentOf(run);
    const { spent } = costs;
    return {
      id: this.#ids.at(run) ?? '',
      agent: root?.agent ?? '',
      depth: root?.depth ?? 0,
      parent: undefined,
      firstPosition: this.#first.at(run),
      lastPosition: last,
      beganAt: start === 0 ? undefined : start,
      tokens: tokens.tokens,
      cost: spent,
      totalCost: spent,
      durationMs: endedMs !== UNKNOWN ? endedMs : start === 0 ? undefined : someTime(end - start),
    };
  }
}

interface RunParts {
  readonly newest: ReadonlyMap<number, readonly Used[]>;
  /** The first part of each run, and the one behind each part; -1 for none. */
  readonly first: Int32Array;
  readonly next: Int32Array;
}

import type { Cost } from '../../core/cost.js';
import { CALL_STATES, type CallState } from '../../core/record.js';
import type { CallNode } from './callTree.js';
import { wholeCostsByTool } from './treeCosts.js';
import type { MadeCall } from './toolCalls.js';
import { clipName } from './values.js';
import type { CallChange, Reading } from './transcriptReader.js';

/** The most tools, argument names and agents distinguished; a hostile transcript may contain any number. */
const MAX_TOOLS = 1_000;
const MAX_NAMES = 100;
const SENT_NAMES = 12;

/** The calls of one tool; durations in milliseconds, absent where none is known, without `waitedMs`. */
export interface ToolSummary {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
  readonly unanswered: number;
  /** How many of the calls came to each end but a good one; `failures` are those that count as errors. */
  readonly states: Readonly<Record<CallState, number>>;
  /** How long people were waited for, in milliseconds. */
  readonly waitedMs: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly total?: number;
  /** Names of top-level arguments and how many calls used them, most used first. */
  readonly arguments: readonly { readonly name: string; readonly calls: number }[];
  readonly agents: readonly string[];
  /** The position of the record that first told of a failure. */
  readonly firstFailure?: number;
  /** What the calls of agents cost that it dispatched, with all calls below them; absent for a tool that dispatched none. */
  readonly cost?: Cost;
}

interface Tally {
  calls: number;
  answers: number;
  failures: number;
  readonly states: StateCounts;
  /** How long people were waited for, in milliseconds. */
  waitedMs: number;
  firstFailure?: number;
  readonly durations: Durations;
  readonly names: Map<string, number>;
  readonly agents: Set<string>;
}

/**
 * Sums up the use of each tool, item by item. A call counts where it is made, and a result whose call is not recorded
 * counts as a call; it is answered by the first result that pairs with it, and has failed where any record says so.
 */
export class ToolUse {
  readonly #tools = new Map<string, Tally>();

  /** The names of all tools that were called, in the order of their first calls. */
  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** Adds the next item of the transcript. */
  add({ facts, position, result, failedTool, change }: Reading): void {
    const { agent = '' } = facts.place;
    for (const { name, names } of facts.calls) {
      const tally = this.#called(name, agent);
      countStates(tally.states, 1, undefined);
      countNames(tally.names, names);
    }
    if (result?.kind === 'unseen') this.#called(result.tool, agent);
    if (change) countStates(this.#tallyOf(change.tool).states, 0, change);
    if (failedTool !== undefined) {
      const tally = this.#tallyOf(failedTool);
      tally.failures++;
      tally.firstFailure ??= position;
    }
    if (!result || result.kind === 'orphan') return;
    const tally = this.#tallyOf(result.tool);
    tally.answers++;
    tally.waitedMs += result.made?.waitedMs ?? 0;
    if (result.tookMs !== undefined) tally.durations.add(result.tookMs);
  }

  #called(tool: string, agent: string): Tally {
    const tally = this.#tallyOf(tool);
    tally.calls++;
    if (tally.agents.size < MAX_NAMES) tally.agents.add(clipName(agent));
    return tally;
  }

  /** What each tool was used for so far, in the order of their first calls; `calls` are all calls of agents. */
  summary(calls: readonly CallNode[] = []): ToolSummary[] {
    const costs = wholeCostsByTool(calls);
    return [...this.#tools].map(([tool, tally]) => {
      const { durations } = tally;
      const cost = costs.get(tool);
      return {
        tool,
        calls: tally.calls,
        failures: tally.failures,
        unanswered: tally.calls - tally.answers,
        states: statesOf(tally.states),
        waitedMs: tally.waitedMs,
        ...(durations.count > 0 && {
          p50: durations.percentile(0.5),
          p95: durations.percentile(0.95),
          total: durations.total,
        }),
        arguments: [...tally.names]
          .sort(([, a], [, b]) => b - a)
          .slice(0, SENT_NAMES)
          .map(([name, calls]) => ({ name, calls })),
        agents: [...tally.agents],
        ...(tally.firstFailure !== undefined && { firstFailure: tally.firstFailure }),
        ...(cost && { cost }),
      };
    });
  }

  #tallyOf(tool: string): Tally {
    const name =
      this.#tools.size < MAX_TOOLS || this.#tools.has(clipName(tool)) ? clipName(tool) : 'other tools';
    let tally = this.#tools.get(name);
    if (!tally) {
      tally = {
        calls: 0,
        answers: 0,
        failures: 0,
        states: noStates(),
        waitedMs: 0,
        durations: new Durations(),
        names: new Map(),
        agents: new Set(),
      };
      this.#tools.set(name, tally);
    }
    return tally;
  }
}

/** How many calls came to each end. */
type StateCounts = Record<MadeCall['state'], number>;

/** The counts of no calls. */
export function noStates(): StateCounts {
  return { done: 0, failed: 0, denied: 0, cancelled: 0, timedOut: 0, open: 0 };
}

/** Adds calls that were made, and what became of one. */
export function countStates(counts: StateCounts, made: number, change: CallChange | undefined): void {
  counts.open += made;
  if (!change) return;
  if (change.before !== undefined) counts[change.before]--;
  counts[change.after]++;
}

/** The counts of those that came to any end but a good one. */
export function statesOf(counts: Readonly<Record<CallState, number>>): Record<CallState, number> {
  return Object.fromEntries(CALL_STATES.map((state) => [state, counts[state]])) as Record<CallState, number>;
}

function countNames(names: Map<string, number>, keys: readonly string[]): void {
  for (const key of keys) {
    const name = clipName(key);
    if (names.size < MAX_NAMES || names.has(name)) names.set(name, (names.get(name) ?? 0) + 1);
  }
}

/** A growing set of durations in milliseconds, with percentiles that are cheap to ask for repeatedly. */
export class Durations {
  /** The durations that were sorted at the last question. */
  #sorted = new Float64Array();
  #fresh: number[] = [];
  total = 0;

  get count(): number {
    return this.#sorted.length + this.#fresh.length;
  }

  add(ms: number): void {
    this.#fresh.push(ms);
    this.total += ms;
  }

  /** The nearest-rank percentile; 0 where there is no duration. */
  percentile(part: number): number {
    this.#merge();
    return this.#sorted[Math.max(0, Math.ceil(this.#sorted.length * part) - 1)] ?? 0;
  }

  /** Sorts only the new durations and merges them, so that frequent questions do not sort everything. */
  #merge(): void {
    if (this.#fresh.length === 0) return;
    const fresh = Float64Array.from(this.#fresh).sort();
    const old = this.#sorted;
    const merged = new Float64Array(old.length + fresh.length);
    let from = 0;
    let at = 0;
    for (const ms of fresh) {
      while (from < old.length && (old[from] ?? 0) <= ms) merged[at++] = old[from++] ?? 0;
      merged[at++] = ms;
    }
    merged.set(old.subarray(from), at);
    this.#sorted = merged;
    this.#fresh = [];
  }
}

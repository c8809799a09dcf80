import { GrowingColumn } from '../../../query/numbers/growingColumn.js';
import { Approvals } from '../../../query/numbers/approvals.js';
import { Detours } from '../../../query/numbers/detours.js';
import { TimelineMoments } from '../../../query/numbers/timeline.js';
import { ToolUse } from '../../../query/numbers/toolUse.js';
import { Turns } from '../../../query/numbers/turns.js';
import { UsageTotals, type CountedTokens } from '../../../query/numbers/usageTotals.js';
import { WhereItWentWrong } from '../../../query/numbers/whereItWentWrong.js';
import { dispatchesOf } from '../../../query/numbers/dispatches.js';
import { clipName } from '../../../query/numbers/values.js';
import type { Statistics } from '../../protocol/analysis.js';
import type { Facets, TranscriptFacts } from '../../protocol/panelState.js';
import { widenSpan, type TimeSpan } from '../../../query/numbers/callTree.js';
import { NO_PRICES, type Prices } from '../../../core/ports/prices.js';
import type { Facts } from '../../../query/numbers/facts.js';
import { AgentHues } from '../rows/agentHues.js';
import type { RowIndex } from '../rows/rowIndex.js';
import { RowPlanner } from '../rows/rowPlanner.js';

/** Everything that one pass over a transcript gathers: its rows, and the totals that the other views show. */
export class TranscriptProjection {
  readonly hues = new AgentHues();
  readonly #rows = new RowPlanner();
  readonly prices: Prices;
  readonly usage: UsageTotals;
  readonly tools = new ToolUse();
  readonly timeline = new TimelineMoments();
  readonly turns = new Turns();
  readonly detours: Detours;
  readonly approvals = new Approvals();
  readonly trouble = new WhereItWentWrong();
  readonly #span: TimeSpan = { startedAt: 0, endedAt: 0 };

  /** The positions of the records by which errors are counted, and how many there are. */
  readonly #errorAt = new GrowingColumn();
  #errors = 0;

  constructor(prices: Prices = NO_PRICES) {
    this.prices = prices;
    this.usage = new UsageTotals(prices);
    this.detours = new Detours(prices);
  }

  get index(): RowIndex {
    return this.#rows.index;
  }

  /** Adds the next records, in order. */
  add(records: readonly Facts[]): void {
    for (const facts of records) {
      widenSpan(this.#span, facts);
      // Colours go to agents in the order in which they are first heard of.
      this.hues.of(facts.place.agent ?? '');
      const reading = this.#rows.add(facts);
      const cost = this.usage.add(reading);
      if (reading.isNewFailure) this.#errorAt.set(this.#errors++, reading.position);
      this.tools.add(reading);
      this.timeline.add(reading);
      this.turns.add(reading);
      this.detours.add(reading, cost);
      this.approvals.add(reading);
      this.trouble.add(reading);
    }
  }

  /**
   * The position of the next error, or of the next row of the agent whose row is at `from`; of the previous one where `by` is
   * negative; the first row of the main line from `from` on where it is asked for what is `new`. Undefined where there is none.
   */
  beside(of: 'error' | 'agent' | 'new', from: number | undefined, by: number): number | undefined {
    const step = by > 0 ? 1 : -1;
    if (of === 'error') {
      const start = from ?? (step > 0 ? -1 : Infinity);
      for (let at = step > 0 ? 0 : this.#errors - 1; at >= 0 && at < this.#errors; at += step) {
        const position = this.#errorAt.get(at);
        if (step > 0 ? position > start : position < start) return position;
      }
      return undefined;
    }
    const { index } = this;
    if (of === 'new') {
      let first: number | undefined;
      for (let at = index.length - 1; at >= 0 && index.position(at) >= (from ?? 0); at--) {
        const call = index.callOf(at);
        if (call && index.ownerOf(call) === undefined) first = index.position(at);
      }
      return first;
    }
    const row = from === undefined ? undefined : index.rowOfRecord(from);
    const agent = row === undefined ? undefined : index.callOf(row)?.agent;
    for (let at = (row ?? -step) + step; row !== undefined && at >= 0 && at < index.length; at += step)
      if (index.callOf(at)?.agent === agent && index.position(at) !== from) return index.position(at);
    return undefined;
  }

  /** The totals of all that was added; `counted` looks up tokens that no provider reported. */
  statistics(counted?: CountedTokens): Omit<Statistics, 'counting'> {
    const totals = this.usage.statistics(this.index.calls.all, counted);
    const shown = <T extends { readonly agent: string }>(each: T) => ({
      ...each,
      agent: clipName(each.agent),
      hue: this.hues.of(each.agent),
    });
    const byAgent = totals.byAgent.map((each) => ({
      ...each,
      name: clipName(each.name),
      hue: this.hues.of(each.name),
    }));
    return {
      ...totals,
      byAgent,
      contextGrowth: totals.contextGrowth.map(shown),
      slowest: totals.slowest.map(shown),
      mostExpensive: totals.mostExpensive.map(shown),
      dispatches: dispatchesOf(this.index.calls.all).map((each) => ({
        ...each,
        from: clipName(each.from),
        to: clipName(each.to),
        fromHue: this.hues.of(each.from),
        toHue: this.hues.of(each.to),
      })),
      durationMs: this.turns.durationMs,
      detours: this.detours.totals(),
      wasted: this.detours.wasted(),
    };
  }

  /** What the transcript is as a whole, of what was added. */
  facts(): TranscriptFacts {
    const { reason } = this.turns;
    const tokens = this.usage.tokens(this.index.calls.all);
    const { first } = this.trouble;
    return {
      startedAt: this.#span.startedAt,
      durationMs: this.turns.durationMs,
      tokens: { ...tokens },
      cost: this.usage.cost(this.index.calls.all),
      errors: this.usage.errors,
      ...(reason !== undefined && { reason }),
      ...(first && { trouble: first }),
    };
  }

  /** Whether no time passes in what was added, so that a timeline counts its records. */
  get countsSteps(): boolean {
    return this.#span.startedAt === this.#span.endedAt;
  }

  facets(): Facets {
    return { agents: this.hues.list(), tools: [...this.tools.names] };
  }
}

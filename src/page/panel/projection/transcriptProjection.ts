import { Approvals } from '../../../query/numbers/approvals.js';
import { Detours } from '../../../query/numbers/detours.js';
import { TimelineMoments } from '../../../query/numbers/timelineMoments.js';
import { ToolUse } from '../../../query/numbers/toolUse.js';
import { Turns } from '../../../query/numbers/turns.js';
import { UsageTotals, type CountedTokens } from '../../../query/numbers/usageTotals.js';
import { WhereItWentWrong } from '../../../query/numbers/whereItWentWrong.js';
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
  readonly detours = new Detours();
  readonly approvals = new Approvals();
  readonly trouble = new WhereItWentWrong();
  readonly #span: TimeSpan = { startedAt: 0, endedAt: 0 };

  constructor(prices: Prices = NO_PRICES) {
    this.prices = prices;
    this.usage = new UsageTotals(prices);
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
      this.usage.add(reading);
      this.tools.add(reading);
      this.timeline.add(reading);
      this.turns.add(reading);
      this.detours.add(reading);
      this.approvals.add(reading);
      this.trouble.add(reading);
    }
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
      durationMs: this.turns.durationMs,
      detours: this.detours.totals(),
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

import type { MessageCounts, MessageStats } from './answers.js';
import { readUsage, reportedTokens, reportIn, type ReportedBy } from './tokens.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.js';
import type { Prices } from '../../core/ports/prices.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { CostSum } from './costSum.js';
import { tokensOfMessage } from './messageTokens.js';
import { envelopeOf, messageIn, speakerIn, UNKNOWN_ROLE, type UntypedMessage } from './transcriptItem.js';
import { statsText } from './analysisText.js';

/** The counts of one role. */
interface RoleTally {
  messages: number;
  tokens: number;
  /** Whether any of its messages could be counted. */
  isCounted: boolean;
}

/** Adds up counts by role; a role may be any string, even `__proto__`. */
class Tally {
  readonly #roles = new Map<string, RoleTally>();

  add(role: string, tokens: number | undefined): void {
    let tally = this.#roles.get(role);
    if (!tally) this.#roles.set(role, (tally = { messages: 0, tokens: 0, isCounted: false }));
    tally.messages++;
    if (tokens === undefined) return;
    tally.tokens += tokens;
    tally.isCounted = true;
  }

  counts(): MessageCounts {
    const roles = [...this.#roles];
    const totalMessages = roles.reduce((sum, [, { messages }]) => sum + messages, 0);
    const totalTokens = roles.reduce((sum, [, { tokens }]) => sum + tokens, 0);
    const counted = roles.filter(([, { isCounted }]) => isCounted);
    return {
      totalMessages,
      messagesByRole: Object.fromEntries(roles.map(([role, { messages }]) => [role, messages])),
      totalTokens,
      tokensByRole: Object.fromEntries(counted.map(([role, { tokens }]) => [role, tokens])),
      avgTokensPerMessage: totalMessages === 0 ? 0 : totalTokens / totalMessages,
    };
  }
}

/** The usage of each call, see `reportedTokens`. */
class UsageTally {
  readonly #byCall = new Map<string, ReportedBy<Usage>>();

  add(envelope: UntypedMessage): void {
    const report = reportIn(envelope);
    const usage = report && readUsage(report.usage);
    if (!usage) return;
    const key = typeof envelope.call === 'string' ? envelope.call : '';
    const known = this.#byCall.get(key) ?? {};
    known[report.reporter] = addUsage(known[report.reporter] ?? NO_USAGE, usage);
    this.#byCall.set(key, known);
  }

  total(): Usage {
    let total = NO_USAGE;
    for (const reported of this.#byCall.values()) {
      total = addUsage(total, reportedTokens(reported) ?? NO_USAGE);
    }
    return total;
  }
}

/**
 * Counts messages and their tokens; without a counter, only the tokens that the provider reported. With prices, adds up
 * what the requests cost.
 */
export function statsOf(
  items: Iterable<unknown>,
  counter: TokenCounter | undefined,
  prices?: Prices,
): MessageStats {
  const all = new Tally();
  const agents = new Map<string, Tally>();
  const usage = new UsageTally();
  const costs = prices && new CostSum(prices);
  const tell = tokensOfMessage(counter);
  let exactTokens = 0;
  let uncountedMessages = 0;
  for (const item of items) {
    costs?.add(item);
    const envelope = envelopeOf(item);
    if (envelope) usage.add(envelope);
    const message = messageIn(item);
    if (!message) continue;
    const { tokens, exact } = tell(item, message);
    if (tokens === undefined) uncountedMessages++;
    else if (exact) exactTokens += tokens;
    const role = speakerIn(item) ?? UNKNOWN_ROLE;
    // A counter that fails counts as 0; without any counter the role is left out.
    const counted = tokens ?? (counter && 0);
    all.add(role, counted);
    const agent = envelope?.agent;
    if (typeof agent === 'string') tallyOf(agents, agent).add(role, counted);
  }
  const counts = all.counts();
  const stats = {
    ...counts,
    byAgent: Object.fromEntries(Array.from(agents, ([agent, tally]) => [agent, tally.counts()])),
    exactTokens,
    estimatedTokens: counts.totalTokens - exactTokens,
    uncountedMessages,
    usage: usage.total(),
    ...(costs && { cost: costs.total }),
  };
  return Object.defineProperty(stats, 'toString', { value: () => statsText(stats) });
}

function tallyOf(tallies: Map<string, Tally>, agent: string): Tally {
  const tally = tallies.get(agent) ?? new Tally();
  tallies.set(agent, tally);
  return tally;
}

import type { Cost } from '../../core/cost.js';
import { tokensOfCalls } from './callTokens.js';
import type { CallNode } from './callTree.js';
import type { TokenCount } from './tokens.js';
import { costOfCalls } from './treeCosts.js';

/** What one agent had another do: all calls from the one to the other together. */
export interface Dispatches {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** How many of them failed or hit a limit; one that was stopped did not. */
  readonly failures: number;
  /** What the calls themselves used; undefined where nobody reported it. What they had others do is counted there. */
  readonly tokens: TokenCount | undefined;
  readonly cost: Cost;
  /** The position of the record that dispatched the first of them. */
  readonly first: number;
}

/** How many pairs of agents are told apart; a hostile transcript may have any number. */
const MAX_PAIRS = 200;

/** Who called whom, in the order in which they first did. */
export function dispatchesOf(calls: readonly CallNode[]): Dispatches[] {
  const pairs = new Map<string, CallNode[]>();
  for (const call of calls) {
    if (!call.parent) continue;
    const key = JSON.stringify([call.parent.agent, call.agent]);
    const known = pairs.get(key);
    if (known) known.push(call);
    else if (pairs.size < MAX_PAIRS) pairs.set(key, [call]);
  }
  return [...pairs].map(([key, made]) => {
    const [from = '', to = ''] = JSON.parse(key) as string[];
    const [first] = made;
    return {
      from,
      to,
      count: made.length,
      failures: made.filter(({ outcome }) => outcome === 'failed' || outcome === 'limited').length,
      tokens: tokensOfCalls(made.map(({ tokens }) => tokens)),
      cost: costOfCalls(made),
      first: first?.dispatchedAt ?? first?.position ?? 0,
    };
  });
}

import { addCosts, NO_COST, type Cost } from '../../core/cost.js';
import { tokensOfCalls } from './callTokens.js';
import type { CallNode } from './callTree.js';
import { TokenSum, type TokenCount } from './tokens.js';
import { costOfCalls } from './treeCosts.js';

/** How many calls are summed up together: the more there are, the fewer sums remain and the more is summed up anew. */
const CALLS_PER_BLOCK = 64;

interface Sum {
  readonly tokens: TokenCount | undefined;
  readonly cost: Cost;
}

/**
 * What the calls of a transcript used and cost together, asked for again and again while it grows: calls are summed up in
 * blocks, and of these only the ones that have changed since.
 */
export class CallSums {
  readonly #blocks: (Sum | undefined)[] = [];
  #total: Sum | undefined;

  /** Notes that a call has used or spent something. */
  changed({ index }: Pick<CallNode, 'index'>): void {
    this.#blocks[Math.floor(index / CALLS_PER_BLOCK)] = undefined;
    this.#total = undefined;
  }

  /** The sums of all calls; `calls` are all that there are, by their index. */
  of(calls: readonly CallNode[]): Sum {
    return (this.#total ??= this.#sum(calls));
  }

  #sum(calls: readonly CallNode[]): Sum {
    const tokens = new TokenSum();
    let cost = NO_COST;
    for (let first = 0; first < calls.length; first += CALLS_PER_BLOCK) {
      const block = (this.#blocks[first / CALLS_PER_BLOCK] ??= sumOf(
        calls.slice(first, first + CALLS_PER_BLOCK),
      ));
      if (block.tokens) tokens.add(block.tokens);
      cost = addCosts(cost, block.cost);
    }
    return { tokens: tokens.tokens, cost };
  }
}

function sumOf(calls: readonly CallNode[]): Sum {
  return { tokens: tokensOfCalls(calls.map(({ tokens }) => tokens)), cost: costOfCalls(calls) };
}

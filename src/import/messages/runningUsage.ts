import { nanos, NO_MONEY } from '../../core/money.js';
import type { Usage } from '../../core/usage.js';
import { usageOf } from './usage.js';

/** The usage of each request, where a tool only writes running totals: their increase. */
export class RunningUsage {
  #total: Usage = usageOf({ input: 0, output: 0 });

  /** What was used so far. */
  get total(): Usage {
    return this.#total;
  }

  /** Takes a total for what was used before; nothing is counted. */
  start(total: Usage): void {
    this.#total = total;
  }

  /** Takes what a total says besides the request that it tells last for what was used before; nothing is counted. */
  startBefore(total: Usage, last: Usage): void {
    const less = (of: keyof Usage) => Math.max(0, Number(total[of] ?? 0) - Number(last[of] ?? 0));
    this.#total = usageOf({
      input: less('inputTokens'),
      output: less('outputTokens'),
      cached: less('cachedInputTokens'),
      written: less('cacheWriteTokens'),
      reasoning: less('reasoningTokens'),
    });
  }

  /** What was used since the last total; undefined where it is nothing. A smaller total begins anew. */
  growth(total: Usage): Usage | undefined {
    const isNew =
      total.inputTokens < this.#total.inputTokens || total.outputTokens < this.#total.outputTokens;
    const before = isNew ? usageOf({ input: 0, output: 0 }) : this.#total;
    this.#total = total;
    const grown = usageOf({
      input: total.inputTokens - before.inputTokens,
      output: total.outputTokens - before.outputTokens,
      cached: (total.cachedInputTokens ?? 0) - (before.cachedInputTokens ?? 0),
      written: (total.cacheWriteTokens ?? 0) - (before.cacheWriteTokens ?? 0),
      reasoning: (total.reasoningTokens ?? 0) - (before.reasoningTokens ?? 0),
      terms: [...(total.terms ?? []), ...(isNew ? [] : (before.terms ?? []))],
    });
    const cost = nanos((total.cost ?? 0) - (before.cost ?? 0)) ?? NO_MONEY;
    const isBroken = total.terms !== undefined && before.terms === undefined;
    if (grown.inputTokens + grown.outputTokens + cost === 0 && !isBroken) return undefined;
    return { ...grown, ...(cost > 0 && { cost }) };
  }
}

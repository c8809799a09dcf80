import { addMoney, NO_MONEY, type NanoDollars } from '../../core/money.js';
import type { CallSite } from '../../core/record.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import { fields, number, type Fields } from '../reading/fields.js';
import { usageOf } from './usage.js';

/**
 * What a file says that a whole conversation used, beside its messages: SWE-agent's and mini-SWE-agent's `model_stats`,
 * Harbor's `final_metrics`, OpenHands' `metrics`, tau2-bench's `agent_cost`. What a played person cost is a request of its
 * own. Undefined where it says nothing.
 */
function wholeUsage(about: Fields): Usage | undefined {
  const stats = fields(fields(about.info).model_stats ?? about.model_stats);
  const final = fields(about.final_metrics);
  const usage = usageOf({
    input: number(stats.tokens_sent) ?? number(final.total_prompt_tokens),
    output: number(stats.tokens_received) ?? number(final.total_completion_tokens),
    cached: number(final.total_cached_tokens),
    cost: stats.instance_cost ?? final.total_cost_usd ?? about.agent_cost,
    requests: number(stats.api_calls),
  });
  return isAny(usage) ? usage : accumulatedUsage(about.metrics);
}

/** OpenHands' metrics: what was used and paid up to some moment. Undefined where they say nothing. */
export function accumulatedUsage(metrics: unknown): Usage | undefined {
  const { accumulated_token_usage, accumulated_cost } = fields(metrics);
  const { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens } =
    fields(accumulated_token_usage);
  const usage = usageOf({
    input: number(prompt_tokens),
    output: number(completion_tokens),
    cached: number(cache_read_tokens),
    written: number(cache_write_tokens),
    cost: accumulated_cost,
    told: { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens },
  });
  return isAny(usage) ? usage : undefined;
}

function isAny({ inputTokens, outputTokens, cost }: Usage): boolean {
  return inputTokens + outputTokens > 0 || cost !== undefined;
}

/** Gathers what the messages of a conversation tell of their usage, to see what a total says besides. */
export class ReportedUsage {
  #told = NO_USAGE;
  #requests = 0;
  #isPriced = true;
  #paid = NO_MONEY;

  /** What all messages cost, where each that used anything tells it. */
  get cost(): NanoDollars | undefined {
    return this.#requests > 0 && this.#isPriced ? this.#paid : undefined;
  }

  /** Adds what a message tells; gives it back. */
  add(usage: Usage | undefined): Usage | undefined {
    if (!usage || !isAny(usage)) return usage;
    this.#told = addUsage(this.#told, usage);
    this.#requests++;
    this.#paid = addMoney(this.#paid, usage.cost ?? NO_MONEY);
    this.#isPriced &&= usage.cost !== undefined;
    return usage;
  }

  /**
   * Records a total that says more than the messages: tokens of which they say nothing, or what all of them cost. It then
   * counts in place of theirs.
   */
  recordWhole(builder: ConversationBuilder, callSite: CallSite, about: Fields, model?: string): void {
    const whole = wholeUsage(about);
    const isKnown = this.#requests > 0 && (this.#isPriced || whole?.cost === undefined);
    if (!whole || isKnown) return;
    const hasTokens = whole.inputTokens + whole.outputTokens > 0;
    const tokens = hasTokens ? whole : this.#told;
    builder.request(
      callSite,
      {
        ...tokens,
        ...(whole.cost !== undefined && { cost: whole.cost }),
        requests: whole.requests ?? Math.max(1, this.#requests),
      },
      model,
    );
    // The model that plays the person is paid for, too.
    const { cost } = usageOf({ input: undefined, output: undefined, cost: about.user_cost });
    if (cost !== undefined) builder.request({ ...callSite, agent: 'user' }, { ...NO_USAGE, cost }, undefined);
  }
}

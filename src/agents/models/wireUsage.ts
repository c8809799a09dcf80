import { isObject } from '../../core/message.js';
import { addMoney, dollars, type NanoDollars } from '../../core/money.js';
import type { Usage } from '../../core/usage.js';

/**
 * Reads the `usage` object of a chat completion; undefined where it contains nothing. Cached tokens are part of the
 * prompt's.
 */
export function usageIn(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = countOf(usage.prompt_tokens);
  const output = countOf(usage.completion_tokens);
  if (input === undefined && output === undefined) return undefined;
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cached = [prompt.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens]
    .map(countOf)
    .find((count) => count !== undefined);
  const written = countOf(prompt.cache_write_tokens) ?? countOf(prompt.cache_creation_tokens);
  const reasoning = countOf(completion.reasoning_tokens);
  // Anthropic's name for it, which OpenRouter and LiteLLM pass on.
  const searches = isObject(usage.server_tool_use) && countOf(usage.server_tool_use.web_search_requests);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(searches && { webSearches: searches }),
    estimated: false,
    ...costIn(usage),
  };
}

/**
 * What the endpoint says that the request cost, in dollars: OpenRouter's `cost`, to which belongs what a provider charged
 * under the customer's own key, and Perplexity's `cost.total_cost`.
 */
function costIn({ cost, cost_details, is_byok }: Readonly<Record<string, unknown>>): Pick<Usage, 'cost'> {
  const charged = dollars(isObject(cost) ? cost.total_cost : cost);
  if (charged === undefined) return {};
  const upstream = is_byok === true && isObject(cost_details) ? cost_details.upstream_inference_cost : 0;
  const paid: NanoDollars | undefined = dollars(upstream ?? 0);
  return paid === undefined ? {} : { cost: addMoney(charged, paid) };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

import { dollars } from '../../core/money.js';
import { termsIn, type Usage, type UsageTerm } from '../../core/usage.js';
import { asText, fields, number, type Fields } from '../reading/fields.js';

/**
 * Usage in OpenAI's APIs (chat completions and responses) and those modelled on them: prompt tokens include cached ones,
 * completion tokens include reasoning. Undefined where there is no number.
 */
export function openAiUsage(value: unknown): Usage | undefined {
  const usage = fields(value);
  const input = number(usage.prompt_tokens) ?? number(usage.input_tokens);
  const output = number(usage.completion_tokens) ?? number(usage.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = fields(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = fields(usage.completion_tokens_details ?? usage.output_tokens_details);
  return usageOf({
    input,
    output,
    cached: number(inputDetails.cached_tokens) ?? number(usage.cached_input_tokens),
    // OpenRouter and LiteLLM write Anthropic's cache writes among the details of OpenAI's usage.
    written: number(inputDetails.cache_write_tokens) ?? number(inputDetails.cache_creation_tokens),
    reasoning: number(outputDetails.reasoning_tokens) ?? number(usage.reasoning_output_tokens),
    // OpenRouter's, in dollars.
    cost: usage.cost,
    searches: searchesIn(usage),
  });
}

/** Usage in Anthropic's API, whose input tokens exclude those written to and read from the cache. */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage: Fields = fields(value);
  const input = number(usage.input_tokens);
  const output = number(usage.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const read = number(usage.cache_read_input_tokens) ?? 0;
  const { written, hour } = cacheWrites(usage);
  return usageOf({
    input: (input ?? 0) + read + written,
    output,
    cached: read,
    written,
    writtenForAnHour: hour,
    searches: searchesIn(usage),
    terms: [
      ...termOf(usage.speed, { fast: 'fast' }, ['standard', '']),
      ...termOf(usage.inference_geo, { us: 'us' }, ['global', 'not_available', '']),
      ...tierIn(usage.service_tier),
    ],
  });
}

/** The term that a word of a usage is; none for a usual one, `other` for one that nobody knows. */
function termOf(
  value: unknown,
  known: Readonly<Record<string, UsageTerm>>,
  usual: readonly string[],
): readonly UsageTerm[] {
  if (value === undefined || value === null) return [];
  const word = asText(value).toLowerCase();
  return usual.includes(word) ? [] : [known[word] ?? 'other'];
}

/** The tier at which a provider served a request. */
export function tierIn(value: unknown): readonly UsageTerm[] {
  const tiers = { batch: 'batch', flex: 'flex', priority: 'priority', fast: 'priority' } as const;
  return termOf(value, tiers, ['standard', 'default', 'auto', '']);
}

/** Searches of the web, as Anthropic's API counts them; OpenRouter and LiteLLM put them into OpenAI's usage. */
function searchesIn(usage: Fields): number | undefined {
  return number(fields(usage.server_tool_use).web_search_requests);
}

/** What was written to the cache: one number, or one for each time that it stays, which may say more than the former. */
function cacheWrites(usage: Fields): { readonly written: number; readonly hour: number } {
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = fields(usage.cache_creation);
  const hour = number(ephemeral_1h_input_tokens) ?? 0;
  const written = number(usage.cache_creation_input_tokens) ?? 0;
  return { written: Math.max(written, (number(ephemeral_5m_input_tokens) ?? 0) + hour), hour };
}

/** A usage from numbers of tokens; missing ones are 0. */
export function usageOf(numbers: {
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** Those read from a cache, contained in the input. */
  readonly cached?: number | undefined;
  /** Those written to a cache, contained in the input. */
  readonly written?: number | undefined;
  /** Those of the written ones that stay for an hour. */
  readonly writtenForAnHour?: number | undefined;
  readonly reasoning?: number | undefined;
  /** What the source says that it cost, in dollars. */
  readonly cost?: unknown;
  /** Searches of the web that the provider made for it. */
  readonly searches?: number | undefined;
  /** Of how many requests it is the sum. */
  readonly requests?: number | undefined;
  readonly terms?: readonly UsageTerm[];
}): Usage {
  const {
    input = 0,
    output = 0,
    cached = 0,
    written = 0,
    writtenForAnHour = 0,
    reasoning = 0,
    searches = 0,
    requests = 1,
  } = numbers;
  const terms = termsIn(numbers.terms);
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(written > 0 && { cacheWriteTokens: written }),
    ...(writtenForAnHour > 0 && { cacheWrite1hTokens: writtenForAnHour }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...(searches > 0 && { webSearches: searches }),
    estimated: false,
    ...costIn(numbers.cost),
    ...(requests > 1 && { requests }),
    ...(terms && { terms }),
  };
}

/** A usage with what the source says that it cost, in dollars; as it was where the source says nothing of it. */
export function withCost(usage: Usage | undefined, cost: unknown): Usage | undefined {
  return usage && { ...usage, ...costIn(cost) };
}

/** A recorded cost. Zero is none: tools write it where they know no price, as of a subscription's models. */
function costIn(cost: unknown): Pick<Usage, 'cost'> {
  const amount = dollars(typeof cost === 'string' && cost.trim() !== '' ? Number(cost) : cost);
  return amount === undefined || amount === 0 ? {} : { cost: amount };
}

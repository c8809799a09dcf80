import type { Usage } from '../../core/usage.js';
import { fields, number, type Fields } from '../reading/fields.js';

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
    reasoning: number(outputDetails.reasoning_tokens) ?? number(usage.reasoning_output_tokens),
  });
}

/** Usage in Anthropic's API, whose input tokens exclude those written to and read from the cache. */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage: Fields = fields(value);
  const input = number(usage.input_tokens);
  const output = number(usage.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const read = number(usage.cache_read_input_tokens) ?? 0;
  const written = number(usage.cache_creation_input_tokens) ?? 0;
  return usageOf({ input: (input ?? 0) + read + written, output, cached: read });
}

/** A usage from numbers of tokens; missing ones are 0. */
export function usageOf(numbers: {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached?: number | undefined;
  readonly reasoning?: number | undefined;
}): Usage {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = numbers;
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    estimated: false,
  };
}

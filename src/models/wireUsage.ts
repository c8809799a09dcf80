import { isObject } from '../core/message.js';
import type { Usage } from '../core/usage.js';

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
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    estimated: false,
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

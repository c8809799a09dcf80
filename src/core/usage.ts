/** The tokens of one or more model requests. */
export interface Usage {
  /** Prompt tokens, cached ones included. */
  readonly inputTokens: number;
  /** Completion tokens, reasoning included. */
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** True as soon as any part was counted locally instead of reported by the provider. */
  readonly estimated: boolean;
}

/** Zero tokens: where a sum starts. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, estimated: false };

/** The sum of two usages; estimated if either is. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    estimated: a.estimated || b.estimated,
  };
}

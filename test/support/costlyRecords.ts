import fc from 'fast-check';

/** What a session may record of requests: of any model, with and without tokens and money, in any call. */
const count = fc.oneof(fc.nat(300_000), fc.constant(0));
const usage = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    estimated: fc.boolean(),
    cachedInputTokens: fc.nat(9_000),

    cacheWriteTokens: fc.nat(900),
    cost: fc.oneof(fc.nat(10 ** 9), fc.constant(0)),
    requests: fc.nat(4),
    webSearches: fc.nat(3),
  },
  { requiredKeys: ['inputTokens', 'outputTokens', 'estimated'] },
);
const model = fc.constantFrom('claude-sonnet-4-5', 'gpt-5-mini', 'o3', 'nobody-knows-it', '');
const place = fc.constantFrom(
  { call: 'k1', agent: 'Baker', depth: 0 },
  { call: 'k2', parentCall: 'k1', agent: 'Miller', depth: 1 },
  { call: 'k3', parentCall: 'k2', agent: 'Baker', depth: 2 },
);
const of = (type: string, more: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) =>
  fc.record<Record<string, unknown>>(
    { type: fc.constant(type), ...more },
    { requiredKeys: ['type', ...required] },
  );
const body = fc.oneof(
  { weight: 3, arbitrary: of('request', { model, usage, attempt: fc.constant(1) }, ['model']) },
  {
    weight: 3,
    arbitrary: of('message', { model, usage, message: fc.constant({ role: 'assistant', content: 'So.' }) }, [
      'message',
    ]),
  },
  of('message', { message: fc.constant({ role: 'user', content: 'And?' }) }, ['message']),
  of('callEnd', { ownUsage: usage, outcome: fc.constant('done') }, []),
  of('callStart', { model, task: fc.constant('Bake.') }, ['task']),
);

/** Records of calls of agents that ask models, in an order that no tool writes them in. */
export const costlyRecords = fc.array(fc.tuple(place, body), { maxLength: 14 }).map((each) =>
  each.map(([at, what], index) => ({
    seq: index + 1,
    id: `m${index}`,
    time: Date.UTC(2026, 2, 1) + index,
    conversation: 'c',
    run: 'r',
    ...at,
    ...(what as object),
  })),
);

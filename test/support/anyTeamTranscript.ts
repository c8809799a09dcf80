import fc from 'fast-check';

const tokenNumber = fc.constantFrom(0, 1, 7, 100, 1234);
const usage = fc.record({ inputTokens: tokenNumber, outputTokens: tokenNumber, estimated: fc.boolean() });
const callName = fc.constantFrom('k1', 'k2', 'k3');
const toolId = fc.constantFrom('a', 'b', 'c');
const model = fc.constantFrom('m1', 'm2');

const body: fc.Arbitrary<{ type: string; childCall?: string; depth?: number }> = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    message: fc.record({ role: fc.constant('user'), content: fc.string() }),
  }),
  fc.record(
    {
      type: fc.constant('message'),
      message: fc.record({
        role: fc.constant('assistant'),
        content: fc.constantFrom('', 'a word'),
        tool_calls: fc.uniqueArray(toolId, { maxLength: 2 }).map((ids) =>
          ids.map((id) => ({
            id,
            type: 'function',
            function: { name: `tool_${id}`, arguments: '{"x":1}' },
          })),
        ),
      }),
      model,
      usage,
      partial: fc.constantFrom('error', 'length'),
    },
    { requiredKeys: ['type', 'message'] },
  ),
  fc.record(
    {
      type: fc.constant('message'),
      message: fc.record({ role: fc.constant('tool'), tool_call_id: toolId, content: fc.string() }),
      isError: fc.boolean(),
      partial: fc.constant('cancelled'),
      durationMs: fc.nat(5_000),
    },
    { requiredKeys: ['type', 'message'] },
  ),
  fc.record(
    {
      type: fc.constant('request'),
      model,
      usage,
      durationMs: fc.nat(5_000),
      error: fc.constantFrom({ code: 'x', message: 'y' }, { code: 'cancelled', message: 'y' }),
    },
    { requiredKeys: ['type', 'model', 'durationMs'] },
  ),
  fc.record({
    type: fc.constant('approval'),
    toolName: fc.constant('tool_a'),
    toolCallId: toolId,
    decision: fc.constantFrom('approved', 'denied'),
    waitedMs: fc.nat(3_000),
  }),
  fc.record(
    {
      type: fc.constant('dispatch'),
      target: fc.constant('other'),
      toolCallId: toolId,
      refused: fc.constant('no'),
    },
    { requiredKeys: ['type', 'target', 'toolCallId'] },
  ),
  fc.record({
    type: fc.constant('message'),
    message: fc.record({
      role: fc.constant('tool'),
      name: fc.constantFrom('tool_a', 'ls'),
      content: fc.string(),
    }),
    isError: fc.boolean(),
    durationMs: fc.nat(5_000),
  }),
  fc.record({
    type: fc.constant('dispatch'),
    target: fc.constant('other'),
    toolCallId: toolId,
    childCall: fc.constant('k3'),
  }),
  fc.record({ type: fc.constant('error'), error: fc.constant({ code: 'x', message: 'y' }) }),
  fc.record({ type: fc.constant('imported'), kind: fc.string(), value: fc.jsonValue() }),
  fc.record({ type: fc.constant('callStart'), task: fc.string(), model }),
  fc.record({ type: fc.constant('title'), title: fc.string() }),
);

const ready = {
  call: 'k1',
  agent: 'one',
  time: 1,
  type: 'message',
  message: { role: 'assistant', content: 'Ready.' },
};

/**
 * Records of a few calls in any order; each call may end, and then says no more. The first call speaks first and is the
 * parent of the second, and it may dispatch the third.
 */
export const anyTeamTranscript = fc
  .tuple(
    fc.array(fc.tuple(callName, fc.constantFrom('one', 'two'), fc.nat(9_000), body), { maxLength: 40 }),
    fc.uniqueArray(fc.tuple(callName, usage, fc.constantFrom('done', 'failed', 'limited', 'cancelled')), {
      selector: ([call]) => call,
    }),
  )
  .map(([drafts, ends]) => {
    const place = (call: string) => (call === 'k2' ? { call, parentCall: 'k1' } : { call });
    const told = drafts.map(([call, agent, time, { childCall, ...rest }]) => ({
      ...place(call),
      agent,
      time,
      ...rest,
      ...(childCall !== undefined && call === 'k1' && { childCall }),
    }));
    const ended = ends.map(([call, ownUsage, outcome]) => ({
      ...place(call),
      agent: 'one',
      time: 9_000,
      type: 'callEnd',
      durationMs: 5,
      ownUsage,
      outcome,
    }));
    return [ready, ...told, ...ended].map((draft, at) => ({
      seq: at + 1,
      id: `m${at}`,
      conversation: 'c',
      run: 'r',
      depth: 0,
      ...draft,
    }));
  });

import { describe, expect, test } from 'vitest';
import { usageOfSpan, unknownCounts } from '../../../src/import/trace/spanMessages.js';
import { records } from './reading.js';
import { agent, ofType, read, span } from './spans.js';

const UNSAID =
  'What was said was not recorded: models, tokens, times and calls are. The page on OpenTelemetry says how a program is told to record it.';

const chat = (input: number, output: number) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-5',
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
});

const usages = (all: readonly object[]) =>
  all.flatMap((each) =>
    'usage' in each ? [(each as { usage: { inputTokens: number } }).usage.inputTokens] : [],
  );

test('requests without what was said are a session of requests', async () => {
  const result = await read([
    span('a1', '', 'chat gpt-5', 0, 1, chat(100, 10)),
    span('a2', '', 'chat gpt-5', 5, 1, chat(200, 20)),
  ]);
  expect(usages(ofType(result, 'request'))).toEqual([100, 200]);
  expect(result.problems.map(({ message }) => message)).toEqual([UNSAID]);
  expect(result.conversations[0]?.facts).toEqual({ Said: 'was not recorded' });
});

describe('usage on spans that lie in each other counts once', () => {
  test('at the request, where it tells its own', async () => {
    const result = await read([
      span('a1', '', 'invoke_agent a', 0, 9, {
        ...agent('a'),
        ...chat(300, 30),
        'gen_ai.operation.name': 'invoke_agent',
      }),
      span('a2', 'a1', 'chat', 1, 1, chat(100, 10)),
      span('a3', 'a1', 'chat', 3, 1, chat(200, 20)),
    ]);
    expect(usages(ofType(result, 'request'))).toEqual([100, 200]);
  });

  test('at the only request within, or beside several, where only what is around them tells it', async () => {
    const around = { ...agent('a'), ...chat(300, 30), 'gen_ai.operation.name': 'invoke_agent' };
    const bare = { 'gen_ai.operation.name': 'chat' };
    const one = await read([
      span('a1', '', 'invoke_agent a', 0, 9, around),
      span('a2', 'a1', 'chat', 1, 1, bare),
    ]);
    expect(usages(ofType(one, 'request'))).toEqual([300]);
    const two = await read([
      span('a1', '', 'invoke_agent a', 0, 9, around),
      span('a2', 'a1', 'chat', 1, 1, bare),
      span('a3', 'a1', 'chat', 2, 1, bare),
    ]);
    expect(usages(ofType(two, 'request'))).toEqual([300]);
  });
});

test("Claude Code's own traces: a prompt, requests, calls, decisions, failures and subagents", async () => {
  const own = (more: object) => ({ 'session.id': 's1', ...more });
  const result = await read([
    span('1', '', 'claude_code.interaction', 0, 9, own({ user_prompt: '<REDACTED>' })),
    span(
      '2',
      '1',
      'claude_code.llm_request',
      1,
      1,
      own({
        model: 'claude-opus-5',
        input_tokens: 10,
        output_tokens: 20,
        cache_read_tokens: 1000,
        cache_creation_tokens: 100,
      }),
    ),
    span(
      '3',
      '1',
      'claude_code.tool',
      2,
      1,
      own({ tool_name: 'Bash', tool_use_id: 't1', full_command: 'ls' }),
    ),
    span(
      '4',
      '3',
      'claude_code.tool.blocked_on_user',
      2,
      1,
      own({ decision: 'accept', source: 'user_temporary' }),
    ),
    span('5', '3', 'claude_code.tool.execution', 2, 1, own({ success: 'false', error: 'exit 1' })),
    span(
      '6',
      '1',
      'claude_code.tool',
      3,
      2,
      own({ tool_name: 'Task', tool_use_id: 't2', subagent_type: 'Explore' }),
    ),
    span(
      '7',
      '6',
      'claude_code.llm_request',
      3,
      1,
      own({ model: 'claude-haiku-5', input_tokens: '1', output_tokens: '2', agent_id: 'ag1' }),
    ),
  ]);
  expect(result.conversations.map(({ id }) => id)).toEqual(['s1']);
  const requests = ofType(result, 'request');
  expect(requests).toMatchObject([
    {
      model: 'claude-opus-5',
      usage: { inputTokens: 1110, cachedInputTokens: 1000, cacheWriteTokens: 100, outputTokens: 20 },
    },
    { model: 'claude-haiku-5', agent: 'Explore', depth: 1, usage: { inputTokens: 1, outputTokens: 2 } },
  ]);
  expect(ofType(result, 'approval')).toMatchObject([
    { toolCallId: 't1', decision: 'approved', decidedBy: 'user' },
  ]);
  expect(ofType(result, 'dispatch')).toMatchObject([{ target: 'Explore', toolCallId: 't2' }]);
  const [failed] = records(result).filter((each) => 'isError' in each && each.isError === true);
  expect(failed).toMatchObject({ message: { tool_call_id: 't1', content: 'exit 1' } });
  const told = await read([
    span('1', '', 'claude_code.interaction', 0, 9, own({ user_prompt: 'Bake rye' })),
    span('2', '1', 'claude_code.llm_request', 1, 1, own({ model: 'm', input_tokens: 1 })),
  ]);
  expect(ofType(told, 'message')).toMatchObject([{ message: { role: 'user', content: 'Bake rye' } }]);
});

describe('usage by any of its names', () => {
  const base = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 50 };
  const cases: readonly (readonly [string, string[]])[] = [
    [
      'cachedInputTokens',
      [
        'gen_ai.usage.cache_read.input_tokens',
        'gen_ai.usage.cache_read_input_tokens',
        'gen_ai.usage.cache_read_tokens',
        'gen_ai.usage.cached_input_tokens',
        'gen_ai.usage.cached_tokens',
        'gen_ai.usage.input_tokens.cached',
        'llm.token_count.prompt_details.cache_read',
        'ai.usage.cachedInputTokens',
        'ai.usage.inputTokenDetails.cacheReadTokens',
        'gen_ai.usage.details.cache_read_tokens',
      ],
    ],
    [
      'cacheWriteTokens',
      [
        'gen_ai.usage.cache_write.input_tokens',
        'gen_ai.usage.cache_creation.input_tokens',
        'gen_ai.usage.cache_creation_input_tokens',
        'gen_ai.usage.cache_write_input_tokens',
        'gen_ai.usage.cache_write_tokens',
        'llm.token_count.prompt_details.cache_write',
        'ai.usage.inputTokenDetails.cacheWriteTokens',
      ],
    ],
    [
      'reasoningTokens',
      [
        'gen_ai.usage.reasoning.output_tokens',
        'gen_ai.usage.reasoning_tokens',
        'gen_ai.usage.output_tokens.reasoning',
        'llm.token_count.completion_details.reasoning',
        'ai.usage.outputTokenDetails.reasoningTokens',
        'gen_ai.usage.details.thoughts_tokens',
      ],
    ],
  ];
  for (const [field, names] of cases)
    test.each(names)(`${field}: %s`, (name) => {
      const read_ = usageOfSpan({ ...base, [name]: 40 });
      expect(read_).toEqual({ inputTokens: 1000, outputTokens: 50, estimated: false, [field]: 40 });
      expect(unknownCounts({ ...base, [name]: 40 })).toEqual([]);
    });

  test('input and output by older names; parts of them, sums and unknown numbers are none', () => {
    for (const [input, output] of [
      ['gen_ai.usage.prompt_tokens', 'gen_ai.usage.completion_tokens'],
      ['llm.token_count.prompt', 'llm.token_count.completion'],
      ['ai.usage.inputTokens', 'ai.usage.outputTokens'],
    ])
      expect(
        usageOfSpan({
          [input ?? '']: '10',
          [output ?? '']: 5,
          'gen_ai.usage.total_tokens': 15,
          'gen_ai.usage.text.input_tokens': 9,
        }),
      ).toEqual({ inputTokens: 10, outputTokens: 5, estimated: false });
    expect(
      unknownCounts({ ...base, 'gen_ai.usage.flux_tokens': 7, 'gen_ai.usage.audio.input_tokens': 3 }),
    ).toEqual(['gen_ai.usage.flux_tokens']);
  });

  test('what was cached is more than the input: it was counted beside it', () => {
    expect(
      usageOfSpan({
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 1,
        'gen_ai.usage.cache_read_tokens': 900,
      }),
    ).toMatchObject({ inputTokens: 905, cachedInputTokens: 900 });
  });
});

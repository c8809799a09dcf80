import { describe, expect, test } from 'vitest';
import { expectSaid, nested, query, records } from './reading.js';

describe('Copilot', () => {
  const event = (type: string, data: object, second = 0) => ({
    id: `${type}${second}`,
    type,
    timestamp: `2026-01-01T00:00:0${second}Z`,
    data,
  });

  test('events: a call that starts before its answer is written down is one call', async () => {
    await expectSaid(
      [
        event('session.start', { sessionId: 's1', producer: 'copilot-agent' }),
        event('tool.execution_start', { toolCallId: 't1', toolName: 'ls', arguments: { at: '.' } }, 1),
        event(
          'assistant.message',
          {
            content: 'I look.',
            toolRequests: [{ toolCallId: 't1', name: 'ls', arguments: { at: '.' } }],
          },
          2,
        ),
        event(
          'tool.execution_complete',
          { toolCallId: 't1', success: true, result: { content: 'files' } },
          3,
        ),
      ],
      'copilot-events',
      ['assistant: I look. ls({"at":"."})', 'tool t1: files'],
    );
  });

  test('events: answers with calls, results, subagents and totals', async () => {
    const result = await expectSaid(
      [
        event('session.start', { sessionId: 's1', producer: 'copilot-agent' }),
        event('session.model_change', { newModel: 'gpt-5' }),
        event('system.message', { role: 'system', content: 'Be brief.' }),
        event('user.message', { content: 'hi' }),
        event('assistant.message', {
          content: 'ok',
          reasoningText: 'hm',
          outputTokens: 4,
          toolRequests: [{ toolCallId: 't1', name: 'task', arguments: { a: 1 } }],
        }),
        event('tool.execution_start', { toolCallId: 't1', toolName: 'task' }, 1),
        event('subagent.started', { toolCallId: 't1', agentName: 'Scout' }),
        event('tool.execution_start', {
          toolCallId: 't2',
          toolName: 'ls',
          arguments: {},
          parentToolCallId: 't1',
        }),
        event('tool.execution_complete', {
          toolCallId: 't2',
          success: false,
          error: { message: 'no' },
          parentToolCallId: 't1',
        }),
        event('assistant.message', { content: 'found', parentToolCallId: 't1' }),
        event('tool.execution_complete', { toolCallId: 't1', success: true, result: { content: 'done' } }, 3),
        event('session.shutdown', {
          modelMetrics: {
            'gpt-5': { usage: { inputTokens: 50, outputTokens: 9, cacheReadTokens: 3, reasoningTokens: 1 } },
          },
        }),
        event('brand.new', {}),
      ],
      'copilot-events',
      [
        'system: Be brief.',
        'user: hi',
        'assistant: ok task({"a":1})',
        'assistant: null ls({})',
        'tool t2: no',
        'assistant: found',
        'tool t1: done',
      ],
      ['Kept without being understood: events of type brand.new (once).'],
    );
    expect(nested(query(result).timeline())).toEqual([['Copilot', ['Scout']]]);
    expect(query(result).stats()).toMatchObject({
      usage: { inputTokens: 50, outputTokens: 9 },
      exactTokens: 4,
    });
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'task', calls: [{ durationMs: 2000 }] },
      { toolName: 'ls', calls: [{ isError: true }] },
    ]);
  });

  test('events: a session under way has the tokens of each request, and what a subagent was asked is its own', async () => {
    const used = (apiCallId: string, inputTokens: number) =>
      event('session.usage_record', {
        usage: { apiCallId, inputTokens, outputTokens: 7, cacheReadTokens: 20 },
      });
    const ofAgent = (type: string, data: object) => ({ ...event(type, data), agentId: 'a' });
    const call = { toolCallId: 't', name: 'task', arguments: {} };
    const result = await expectSaid(
      [
        event('session.start', { sessionId: 's', producer: 'copilot-agent' }),
        event('user.message', { content: 'go' }),
        used('r1', 100),
        event('assistant.message', { content: '', apiCallId: 'r1', toolRequests: [call] }),
        ofAgent('subagent.started', { toolCallId: 't', agentName: 'explore' }),
        ofAgent('session.model_change', { newModel: 'small' }),
        ofAgent('user.message', { content: 'look' }),
        used('r2', 200),
        ofAgent('assistant.message', { content: 'ok', apiCallId: 'r2', parentToolCallId: 't' }),
        event('tool.execution_complete', { toolCallId: 't', success: true, result: { content: 'ok' } }),
      ],
      'copilot-events',
      ['user: go', 'assistant:  task({})', 'user: look', 'assistant: ok', 'tool t: ok'],
    );
    expect(query(result).stats().usage).toMatchObject({
      inputTokens: 300,
      outputTokens: 14,
      cachedInputTokens: 40,
    });
    const spoken = records(result).filter(({ type }) => type === 'message');
    expect(spoken.map(({ depth, agent }) => `${depth} ${agent}`)).toEqual([
      '0 Copilot',
      '0 Copilot',
      '1 explore',
      '1 explore',
      '0 Copilot',
    ]);
  });

  test('the older timeline', async () => {
    const timeline = [
      { type: 'info', text: 'Connected' },
      { type: 'user', text: 'hi', timestamp: '2026-01-01T00:00:00Z' },
      { type: 'copilot', text: 'ok' },
      { type: 'tool_call_requested', callId: 't0', name: 'ls', arguments: {} },
      {
        type: 'tool_call_completed',
        callId: 't1',
        name: 'ls',
        arguments: { a: 1 },
        result: { type: 'failure', log: 'no' },
      },
      { type: 'brand-new' },
    ];
    await expectSaid(
      [{ sessionId: 's1', chatMessages: [{ role: 'user', content: 'hi' }], timeline }],
      'copilot-timeline',
      ['user: hi', 'assistant: ok', 'assistant: null ls({})', 'assistant: null ls({"a":1})', 'tool t1: no'],
      ['Kept without being understood: items of type brand-new (once).'],
    );
    await expectSaid(
      [{ sessionId: 's1', chatMessages: [{ role: 'user', content: 'hi' }], timeline: [] }],
      'copilot-timeline',
      ['user: hi'],
    );
  });

  test('replays: every request sends the history again, each message is there once', async () => {
    const text = (value: string) => [
      { type: 1, text: value },
      { type: 3, cacheType: 'ephemeral' },
    ];
    const start = [
      { role: 0, content: text('Be brief.') },
      { role: 1, content: text('hi') },
    ];
    const call = { id: 't1', type: 'function', function: { name: 'ls', arguments: '{}' } };
    const request = (messages: object[], answer: string, second: number) => ({
      kind: 'request',
      type: 'ChatMLSuccess',
      metadata: {
        model: 'gpt-5',
        startTime: `2026-01-01T00:00:0${second}Z`,
        endTime: `2026-01-01T00:00:0${second + 1}Z`,
        usage: { prompt_tokens: 10, completion_tokens: 1 },
      },
      requestMessages: { messages },
      response: { message: [answer] },
    });
    const logs = [
      { kind: 'element' },
      request(start, 'Looking. ', 0),
      { kind: 'toolCall', id: 't1', tool: 'ls' },
      request(
        [
          ...start,
          { role: 2, content: text('Looking.'), toolCalls: [call] },
          { role: 3, content: text('a b'), toolCallId: 't1' },
        ],
        'Two files.',
        2,
      ),
      { kind: 'brand-new' },
    ];
    const result = await expectSaid(
      [
        {
          prompts: [
            { prompt: 'hi', logs },
            {
              prompt: 'again',
              logs: [
                request(
                  [
                    ...start,
                    { role: 'user', content: [{ type: 9 }, { type: 1, text: 'b' }] },
                    { role: 7, content: null },
                  ],
                  'Bye.',
                  5,
                ),
              ],
            },
          ],
        },
      ],
      'chatreplay',
      [
        'system: Be brief.',
        'user: hi',
        'assistant: Looking. ls({})',
        'tool t1: a b',
        'assistant: Two files.',
        'user: [{"type":"part"},{"type":"text","text":"b"}]',
        'assistant: null',
        'assistant: Bye.',
      ],
      [
        'Kept without being understood: logs of kind brand-new (once).',
        '1 text or number stands in no message; it was kept at the end. It is at prompts[1].prompt: again',
      ],
    );
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 30, outputTokens: 3 });
  });
});

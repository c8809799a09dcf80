import { describe, expect, test } from 'vitest';
import { expectSaid, query, records, usage } from './reading.js';

describe('Codex', () => {
  const item = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload });
  const event = (payload: object) => ({ timestamp: '2026-01-01T00:00:01Z', type: 'event_msg', payload });
  const meta = { type: 'session_meta', payload: { id: 'c1', agent_nickname: 'Dexter' } };
  const count = (input: number, output: number) =>
    event({
      type: 'token_count',
      info: { total_token_usage: { ...usage(input, output), cached_input_tokens: input / 2 } },
    });

  test('items are messages, events repeat them, and costs are what totals grow by', async () => {
    const result = await expectSaid(
      [
        meta,
        { type: 'turn_context', payload: { model: 'gpt-5' } },
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }),
        event({ type: 'user_message', message: 'hi' }),
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }),
        item({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'ok', annotations: [] }],
        }),
        item({ type: 'function_call', name: 'shell', arguments: '{"a":1}', call_id: 'f1' }),
        item({ type: 'custom_tool_call', name: 'patch', input: 'text', call_id: 'f2' }),
        item({ type: 'function_call_output', call_id: 'f1', output: 'done' }),
        item({
          type: 'custom_tool_call_output',
          call_id: 'f2',
          output: [{ type: 'input_text', text: 'patched' }],
        }),
        item({ type: 'local_shell_call', call_id: 'f3', action: { command: ['ls'] } }),
        count(100, 10),
        count(100, 10),
        count(250, 15),
        count(20, 5),
        event({ type: 'brand_new' }),
        item({ type: 'odd_thing' }),
        item({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'the end' }] }),
      ],
      'codex',
      [
        'user: hi',
        'assistant: ok shell({"a":1}) patch(text)',
        'tool f1: done',
        'tool f2: patched',
        'assistant: null local_shell({"action":{"command":["ls"]}})',
        'assistant: null',
      ],
      [
        'Kept without being understood: events of type brand_new (1 times).',
        'Kept without being understood: lines of type odd_thing (1 times).',
      ],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'c1', title: 'hi' });
    expect(query(result).stats()).toMatchObject({
      usage: { inputTokens: 270, outputTokens: 20, cachedInputTokens: 135 },
      byAgent: { Dexter: { totalMessages: 6 } },
    });
    expect(
      records(result).find(
        (record) => 'message' in record && 'reasoning_content' in (record.message as object),
      ),
    ).toMatchObject({ model: 'gpt-5', message: { reasoning_content: 'hm' } });
  });

  test('where there are no items, events are the messages', async () => {
    await expectSaid(
      [
        meta,
        event({ type: 'user_message', message: 'hi' }),
        event({ type: 'agent_message', message: 'ok' }),
        event({ type: 'turn.completed', usage: usage(3, 1) }),
      ],
      'codex',
      ['user: hi', 'assistant: ok'],
    );
  });

  test('items without an envelope are read as well', async () => {
    await expectSaid(
      [
        meta,
        { type: 'message', role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ok' },
        { type: 'function_call', name: 'ls', call_id: '1' },
      ],
      'codex',
      ['user: hi', 'assistant: ok ls({})'],
    );
  });
});

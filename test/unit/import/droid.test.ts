import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records } from './reading.js';

describe('Factory Droid', () => {
  const start = {
    type: 'session_start',
    id: 'd1',
    title: 'First words',
    sessionTitle: 'Named',
    cwd: '/work',
  };
  const line = (role: string, content: unknown) => ({
    type: 'message',
    id: 'm',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role, content },
  });
  const stored = [
    start,
    line('user', ['look', { type: 'text', text: 'here' }]),
    line('assistant', [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'ok' },
      { type: 'tool_use', id: 't1', name: 'Execute', input: { command: 'ls' } },
    ]),
    line('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'gone', is_error: true }]),
    { type: 'todo_state', id: 'todo', todos: { todos: '1. [pending] Look around' } },
    line('assistant', 'done'),
  ];

  test('stored sessions', async () => {
    const read = await expectSaid(stored, 'droid', [
      'user: [{"type":"text","text":"look"},{"type":"text","text":"here"}]',
      'assistant: ok Execute({"command":"ls"})',
      'tool t1: gone',
      'assistant: done',
    ]);
    expect(read.conversations[0]).toMatchObject({ id: 'd1', title: 'Named' });
    expect(query(read).toolSummary()[0]).toMatchObject({ toolName: 'Execute', calls: [{ isError: true }] });
    expect(records(read)[4]).toMatchObject({ kind: 'todo_state', value: stored[4] });
  });

  test('the settings beside a stored session tell its model and tokens', async () => {
    const tokenUsage = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 100, cacheCreationTokens: 20 };
    const source = JSON.stringify({ model: 'opus', tokenUsage });
    const read = await importTranscript(lines(...stored), 'd1.jsonl', {
      sidecars: [{ name: '../d1.settings.json', source }],
    });
    expect(records(read).at(-1)).toMatchObject({ type: 'request', model: 'opus' });
    expect(query(read).stats().usage).toEqual({
      inputTokens: 130,
      outputTokens: 3,
      cachedInputTokens: 100,
      cacheWriteTokens: 20,
      estimated: false,
    });
  });

  test('a stream, whose end repeats the answer', async () => {
    const streamed = (type: string, beside: object) => ({
      type,
      session_id: 'd2',
      timestamp: 1e12,
      ...beside,
    });
    const read = await expectSaid(
      [
        streamed('system', { subtype: 'init', model: 'opus', tools: ['Execute'] }),
        streamed('message', { role: 'user', text: 'look' }),
        streamed('reasoning', { text: 'hm' }),
        streamed('tool_call', { id: 'c1', toolName: 'Execute', parameters: { command: 'ls' } }),
        streamed('tool_call', { id: 'c2', toolName: 'Read', parameters: {} }),
        streamed('tool_result', { id: 'c1', isError: true, error: { type: 'tool_error', message: 'gone' } }),
        streamed('tool_result', { id: 'c2', isError: false, value: 'x' }),
        streamed('message', { role: 'assistant', text: 'Done' }),
        streamed('completion', { finalText: 'Done', usage: { input_tokens: 10, output_tokens: 5 } }),
      ],
      'droid',
      [
        'user: look',
        'assistant: null Execute({"command":"ls"}) Read({})',
        'tool c1: gone',
        'tool c2: x',
        'assistant: Done',
      ],
    );
    expect(records(read)[2]).toMatchObject({ model: 'opus', message: { reasoning_content: 'hm' } });
    expect(query(read).stats().usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  test('an answer that only the end of a stream tells', async () => {
    await expectSaid(
      [
        { type: 'message', sessionId: 'd', role: 'user', text: 'hi' },
        { type: 'completion', sessionId: 'd', finalText: 'Done' },
      ],
      'droid',
      ['user: hi', 'assistant: Done'],
    );
  });
});

import { describe, expect, test } from 'vitest';
import { isFailedRecord } from '../../../src/query/numbers/failures.js';
import { expectSaid, query, records } from './reading.js';

const AT = Date.UTC(2026, 0, 5, 10);

describe('what cursor-agent prints as a stream', () => {
  const line = (type: string, beside: object) => ({ type, session_id: 'cur-1', ...beside });
  const begin = line('system', {
    subtype: 'init',
    apiKeySource: 'login',
    cwd: '/home/p',
    model: 'Auto',
    permissionMode: 'default',
  });
  const words = (role: string, text: string, beside: object = {}) =>
    line(role, { message: { role, content: [{ type: 'text', text }] }, ...beside });
  const thinks = (text: string) => line('thinking', { subtype: 'delta', text, timestamp_ms: AT });
  const call = (subtype: string, call_id: string, tool_call: object, timestamp_ms = AT) =>
    line('tool_call', { subtype, call_id, tool_call, timestamp_ms });
  const tool = (key: string, args: object, result?: object) => ({
    [key]: { args, ...(result && { result }) },
  });

  test('thoughts, words, calls and what came of them', async () => {
    const read = { path: 'a.ts' };
    const result = await expectSaid(
      [
        begin,
        words('user', 'Look'),
        thinks('Let me '),
        thinks('see.'),
        line('thinking', { subtype: 'completed' }),
        words('assistant', 'Reading.', { model_call_id: 'm1', timestamp_ms: AT }),
        call('started', 'c1', tool('readToolCall', read)),
        call('started', 'c2', tool('shellToolCall', { command: 'ls' })),
        call(
          ...([
            'completed',
            'c2',
            tool('shellToolCall', { command: 'ls' }, { success: { stdout: 'a.ts', stderr: '' } }),
          ] as const),
          AT + 700,
        ),
        call('completed', 'c1', tool('readToolCall', read, { success: { content: 'let a', totalLines: 1 } })),
        words('assistant', 'It is a.'),
        line('result', {
          subtype: 'success',
          is_error: false,
          result: 'It is a.',
          usage: { inputTokens: 9, outputTokens: 2 },
        }),
      ],
      'cursor-cli',
      [
        'user: Look',
        'assistant: Reading. read({"path":"a.ts"}) shell({"command":"ls"})',
        'tool c2: a.ts',
        'tool c1: let a',
        'assistant: It is a.',
      ],
    );
    expect(records(result)[2]).toMatchObject({
      model: 'Auto',
      message: { reasoning_content: 'Let me see.' },
    });
    expect(records(result)[3]).toMatchObject({ durationMs: 700, toolName: 'shell' });
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 9, outputTokens: 2 });
  });

  test('pieces of an answer are one, also where the whole follows them', async () => {
    const piece = (text: string) => words('assistant', text, { timestamp_ms: AT });
    await expectSaid(
      [
        begin,
        words('user', 'Hi'),
        piece('He'),
        piece('llo'),
        words('assistant', 'Hello'),
        words('assistant', 'Bye'),
      ],
      'cursor-cli',
      ['user: Hi', 'assistant: Hello', 'assistant: Bye'],
    );
  });

  test('a call that a person refused, one that failed, and one of a server', async () => {
    const mcp = { name: 'docs-find', toolName: 'find', args: { about: 'x' }, providerIdentifier: 'docs' };
    const result = await expectSaid(
      [
        begin,
        words('user', 'Go'),
        call('started', 'c1', tool('shellToolCall', { command: 'rm a' })),
        call(
          'completed',
          'c1',
          tool('shellToolCall', { command: 'rm a' }, { rejected: { reason: 'keep it' } }),
        ),
        call(
          'completed',
          'c2',
          tool('readToolCall', { path: 'b' }, { error: { errorMessage: 'No such file' } }),
        ),
        call(
          'completed',
          'c3',
          tool('mcpToolCall', mcp, { success: { content: [{ text: { text: 'found' } }], isError: false } }),
        ),
      ],
      'cursor-cli',
      [
        'user: Go',
        'assistant: null shell({"command":"rm a"})',
        'tool c1: keep it',
        'assistant: null read({"path":"b"})',
        'tool c2: No such file',
        'assistant: null find({"about":"x"})',
        'tool c3: found',
      ],
    );
    expect(records(result).filter(({ type }) => type === 'approval')).toMatchObject([
      { toolCallId: 'c1', decision: 'denied', decidedBy: 'user', reason: 'keep it' },
    ]);
    expect(
      query(result)
        .toolSummary()
        .map(({ toolName, calls }) => [toolName, calls.map(({ isError }) => isError)]),
    ).toEqual([
      // What a person refused is no error.
      ['shell', [false]],
      ['read', [true]],
      ['find', [false]],
    ]);
  });

  test('a run that ended with an error has failed', async () => {
    const result = await expectSaid(
      [
        begin,
        words('user', 'Hi'),
        line('result', { subtype: 'error', is_error: true, result: 'Out of credit' }),
      ],
      'cursor-cli',
      ['user: Hi'],
    );
    expect(records(result).filter((record) => isFailedRecord(record as never))).toMatchObject([
      { error: { message: 'Out of credit' } },
    ]);
  });
});

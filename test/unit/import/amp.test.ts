import { describe, expect, test } from 'vitest';
import { expectSaid, query, records } from './reading.js';

describe('Amp', () => {
  const thread = (...messages: object[]) => ({ v: 3, id: 'T-1', created: 1e12, title: 'Named', messages });
  const call = (id: string, name: string) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name, input: {}, complete: true }],
  });
  const result = (toolUseID: string, run: object) => ({
    role: 'user',
    content: [{ type: 'tool_result', toolUseID, run }],
  });

  test('messages, calls, results of runs and pictures', async () => {
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } };
    const read = await expectSaid(
      [
        thread(
          { role: 'user', content: [{ type: 'text', text: 'look' }, image], meta: { sentAt: 1e12 } },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'text', text: 'ok' },
              { type: 'tool_use', id: 'c1', name: 'Bash', input: { cmd: 'ls' } },
            ],
          },
          result('c1', { status: 'done', result: { output: 'x.txt', exitCode: 123_456 } }),
          call('c2', 'Bash'),
          result('c2', { status: 'error', error: { message: 'gone' } }),
          call('c3', 'Bash'),
          result('c3', { status: 'cancelled' }),
          call('c4', 'Grep'),
          result('c4', { status: 'done', result: ['a', 'b'] }),
        ),
      ],
      'amp',
      [
        'user: [{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',
        'assistant: ok Bash({"cmd":"ls"})',
        'tool c1: x.txt',
        'assistant: null Bash({})',
        'tool c2: gone',
        'assistant: null Bash({})',
        'tool c3: cancelled',
        'assistant: null Grep({})',
        'tool c4: [{"type":"text","text":"a"},{"type":"text","text":"b"}]',
      ],
    );
    expect(read.conversations[0]).toMatchObject({ id: 'T-1', title: 'Named' });
    expect(query(read).toolSummary()[0]).toMatchObject({
      toolName: 'Bash',
      calls: [{ isError: true }, { isError: true }, { isError: false }],
    });
    expect(JSON.stringify(records(read)[3])).toContain('"exitCode":123456');
  });

  const used = {
    inputTokens: 10,
    outputTokens: 3,
    cacheCreationInputTokens: 20,
    cacheReadInputTokens: 100,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  const counted = { inputTokens: 130, outputTokens: 3, cachedInputTokens: 100, estimated: false };

  test.each([
    ['of a model whose provider charges for writing to the cache', 'claude-5', { cacheWriteTokens: 20 }],
    ['of a model whose provider does not', 'gpt-6', {}],
  ])('tokens %s', async (_, model, written) => {
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'ok' }], usage: { ...used, model } };
    const read = await expectSaid([thread(answer)], 'amp', ['assistant: ok']);
    expect(query(read).stats().usage).toEqual({ ...counted, ...written });
    expect(records(read)[1]).toMatchObject({ model, time: Date.parse(used.timestamp) });
  });
});

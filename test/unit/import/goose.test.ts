import { describe, expect, test } from 'vitest';
import { expectSaid, query, records } from './reading.js';

describe('Goose', () => {
  const text = (words: string) => ({ type: 'text', text: words });
  const message = (role: string, content: object[], beside: object = {}) => ({
    role,
    created: 1e9,
    content,
    metadata: { userVisible: true, agentVisible: true },
    ...beside,
  });
  const call = (id: string) => ({
    type: 'toolRequest',
    id,
    toolCall: { status: 'success', value: { name: 'shell', arguments: { command: 'ls' } } },
  });
  const result = (id: string, toolResult: object) => ({ type: 'toolResponse', id, toolResult });
  const ok = (content: object[], isError = false) => ({ status: 'success', value: { content, isError } });

  const talk = [
    message('user', [text('look'), { type: 'image', mimeType: 'image/png', data: 'AAAA' }]),
    message('assistant', [{ type: 'thinking', thinking: 'hm', signature: '' }, text('ok'), call('c1')]),
    message('user', [result('c1', ok([text('x')], true))]),
    message('assistant', [call('c2'), call('c3')]),
    message('user', [result('c2', { status: 'error', error: 'gone' }), result('c3', ok([text('y')]))]),
  ];
  const told = [
    'user: [{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',
    'assistant: ok shell({"command":"ls"})',
    'tool c1: x',
    'assistant: null shell({"command":"ls"}) shell({"command":"ls"})',
    'tool c2: gone',
    'tool c3: y',
  ];
  const header = {
    working_dir: '/work',
    description: 'Named',
    accumulated_input_tokens: 100,
    accumulated_output_tokens: 20,
  };

  test('a stored session, whose first line tells the tokens of all', async () => {
    const read = await expectSaid([header, ...talk], 'goose', told);
    expect(read.conversations[0]).toMatchObject({ title: 'Named' });
    expect(records(read)[2]).toMatchObject({ time: 1e12, message: { reasoning_content: 'hm' } });
    expect(query(read).toolSummary()[0]).toMatchObject({
      toolName: 'shell',
      calls: [{ isError: true }, { isError: true }, { isError: false }],
    });
    expect(query(read).stats().usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
  });

  test('an export', async () => {
    const exported = { ...header, id: '2026_1', name: 'Exported', model_config: { model_name: 'opus' } };
    const read = await expectSaid([{ ...exported, conversation: talk }], 'goose', told);
    expect(read.conversations[0]).toMatchObject({ id: '2026_1', title: 'Exported' });
    expect(records(read).find(({ type }) => type === 'request')).toMatchObject({ model: 'opus' });
  });

  test('tokens of messages are not counted again for the session', async () => {
    const metadata = {
      userVisible: true,
      inference: { requestedModel: 'opus', resolvedModel: 'opus-5' },
      usage: { inputTokens: 1200, outputTokens: 85, cacheReadTokens: 900, cacheWriteTokens: 30 },
    };
    const read = await expectSaid([header, message('assistant', [text('ok')], { metadata })], 'goose', [
      'assistant: ok',
    ]);
    expect(records(read)[1]).toMatchObject({ model: 'opus-5' });
    expect(query(read).stats().usage).toEqual({
      inputTokens: 1200,
      outputTokens: 85,
      cachedInputTokens: 900,
      cacheWriteTokens: 30,
      estimated: false,
    });
  });

  test('a stream, whose pieces of a message have its id', async () => {
    const event = (id: string, role: string, content: object[]) => ({
      type: 'message',
      message: message(role, content, { id }),
    });
    await expectSaid(
      [
        event('m1', 'assistant', [text('Run')]),
        event('m1', 'assistant', [text('ning')]),
        event('m1', 'assistant', [call('c1')]),
        event('u1', 'user', [result('c1', ok([text('x')]))]),
        event('m2', 'assistant', [text('Done')]),
        { type: 'complete', total_tokens: 4711 },
      ],
      'goose',
      ['assistant: Running shell({"command":"ls"})', 'tool c1: x', 'assistant: Done'],
    );
  });
});

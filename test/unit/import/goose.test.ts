import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records } from './reading.js';

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

  test('an export of newer versions, which tell the totals apart', async () => {
    const accumulated_usage = { input_tokens: 124_611, output_tokens: 394, cache_read_input_tokens: 112_820 };
    const read = await expectSaid(
      [{ working_dir: '/work', id: '1', accumulated_usage, conversation: talk }],
      'goose',
      told,
    );
    expect(query(read).stats().usage).toMatchObject({
      inputTokens: 124_611,
      outputTokens: 394,
      cachedInputTokens: 112_820,
    });
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

  const asks = (id: string) =>
    message('assistant', [
      {
        type: 'actionRequired',
        data: { actionType: 'toolConfirmation', id, toolName: 'shell', prompt: 'May I?' },
      },
    ]);

  test('a question whether a call may be made is no answer of the model; what came of it tells the decision', async () => {
    const declined = 'The user has declined to run this tool. DO NOT attempt to call this tool again.';
    const read = await expectSaid(
      [
        header,
        message('assistant', [call('c1'), { type: 'toolConfirmationRequest', id: 'c1', prompt: 'May I?' }]),
        message('user', [result('c1', ok([text('x')]))]),
        message('assistant', [call('c2')]),
        asks('c2'),
        message('user', [result('c2', ok([text(declined)]))]),
        message('assistant', [call('c3')]),
        message('user', [result('c3', ok([text('y')]))]),
      ],
      'goose',
      [
        'assistant: null shell({"command":"ls"})',
        'tool c1: x',
        'assistant: null shell({"command":"ls"})',
        `tool c2: ${declined}`,
        'assistant: null shell({"command":"ls"})',
        'tool c3: y',
      ],
    );
    expect(records(read).filter(({ type }) => type === 'approval')).toMatchObject([
      { toolCallId: 'c1', decision: 'approved', decidedBy: 'user' },
      { toolCallId: 'c2', decision: 'denied', decidedBy: 'user' },
    ]);
  });

  test('forms are a question and its answer, notices are of nobody, and what is redacted is not shown', async () => {
    const form = (data: object) => [{ type: 'actionRequired', data }];
    const read = await expectSaid(
      [
        header,
        message('assistant', [{ type: 'redactedThinking', data: 'opaque words' }, text('One moment.')]),
        message('assistant', form({ actionType: 'elicitation', id: 'e', message: 'Which disk?' })),
        message('user', form({ actionType: 'elicitationResponse', id: 'e', user_data: { disk: 'sda' } })),
        message('assistant', [
          { type: 'systemNotification', notificationType: 'inlineMessage', msg: 'Compacting' },
        ]),
        message('assistant', [{ type: 'conversationCompacted', msg: 'Compacted' }]),
        message('user', [result('c1', ok([{ type: 'resource_link', uri: 'file:///big.log', name: 'big' }]))]),
      ],
      'goose',
      [
        'assistant: One moment.',
        'assistant: Which disk?',
        'user: {"disk":"sda"}',
        'system: Compacting',
        'system: Compacted',
        'tool c1: file:///big.log',
      ],
    );
    expect(JSON.stringify(records(read))).toContain('opaque words');
  });

  test('what a session says that it cost is the cost of its one request', async () => {
    const read = await importTranscript(
      lines({ ...header, accumulated_cost: 0.5 }, ...talk),
      'session.jsonl',
    );
    expect(query(read).stats().usage).toMatchObject({ inputTokens: 100, cost: 500_000_000 });
  });
});

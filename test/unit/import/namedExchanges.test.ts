import { describe, expect, test } from 'vitest';
import { expectSaid } from './reading.js';

describe('requests that name what they go on with, and send only what is new', () => {
  const answer = (id: string, said: string) => ({
    id,
    object: 'response',
    model: 'm',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }],
  });
  const ask = (input: string, more: object = {}) => ({
    model: 'm',
    instructions: 'Be kind.',
    input,
    ...more,
  });
  const inParts = (exchanges: readonly { request: object; response: unknown; status?: number }[]) =>
    exchanges.flatMap(({ request: asked, response: answered, status = 200 }, at) => [
      { exchange: `${at}`, startTime: '2026-01-01T00:00:00Z', request: asked, response: null },
      { exchange: `${at}`, endTime: '2026-01-01T00:00:01Z', status, response: answered },
    ]);
  const streamed = (response_: object) =>
    [
      { type: 'response.created', response: { ...response_, output: [] } },
      { type: 'response.completed', response: response_ },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
  const after = (id: string) => ({ previous_response_id: id });
  const turns = (wire: (answered: object) => unknown) => [
    { request: ask('go'), response: wire(answer('r1', 'ok')) },
    { request: ask('go', after('r1')), response: wire(answer('r2', 'ok')) },
    { request: ask('go', after('r2')), response: wire(answer('r3', 'ok')) },
  ];
  const told = ['system: Be kind.', ...Array.from({ length: 3 }, () => ['user: go', 'assistant: ok'])].flat();

  test.each([
    ['in one piece', turns((each) => each)],
    ['in parts', inParts(turns((each) => each))],
    ['in parts, streamed', inParts(turns(streamed))],
  ])('are one conversation, in which what is said again is new: %s', async (_, values) => {
    const result = await expectSaid(values, 'api-traffic', told);
    expect(result.conversations).toHaveLength(1);
  });

  test.each([['conv_1'], [{ id: 'conv_1' }]])('by the conversation %j', async (conversation) => {
    const values = [
      { request: ask('go', { conversation }), response: answer('r1', 'ok') },
      { request: ask('go', { conversation }), response: answer('r2', 'ok') },
    ];
    const result = await expectSaid(inParts(values), 'api-traffic', told.slice(0, 5));
    expect(result.conversations).toHaveLength(1);
  });

  test('are asked once, however often they are tried', async () => {
    const failed = { error: { message: 'Busy' } };
    const [first, second] = turns((each) => each);
    const values = [first!, { ...second!, response: failed, status: 503 }, second!];
    await expectSaid(inParts(values), 'api-traffic', told.slice(0, 5));
  });

  test('bring results of tools whose ids come again', async () => {
    const call = { type: 'function_call', call_id: 'call_0', name: 'weigh', arguments: '{}' };
    const called = (id: string) => ({ ...answer(id, ''), output: [call] });
    const result = (output: string) => [{ type: 'function_call_output', call_id: 'call_0', output }];
    const values = [
      { request: ask('go'), response: called('r1') },
      { request: { ...ask('', after('r1')), input: result('100 g') }, response: called('r2') },
      { request: { ...ask('', after('r2')), input: result('200 g') }, response: answer('r3', 'Done.') },
    ];
    await expectSaid(inParts(values), 'api-traffic', [
      ...told.slice(0, 2),
      'assistant: null weigh({})',
      'tool call_0: 100 g',
      'assistant: null weigh({})',
      'tool call_0: 200 g',
      'assistant: Done.',
    ]);
  });

  test('are one conversation where what they go on with was not recorded', async () => {
    const [, second, third] = turns((each) => each);
    const result = await expectSaid(inParts([second!, third!]), 'api-traffic', told.slice(0, 5));
    expect(result.conversations).toHaveLength(1);
  });
});

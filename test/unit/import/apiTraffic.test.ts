import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, query, said } from './reading.js';
import { ofType, read } from './spans.js';

const user = { role: 'user', content: 'hi' };
const request = { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }, user], temperature: 0.5 };
const response = {
  object: 'chat.completion',
  model: 'm-1',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
  usage: { prompt_tokens: 5, completion_tokens: 2 },
};
const expected = ['system: Be brief.', 'user: hi', 'assistant: ok'];
const text = (source: string) => importTranscript(source, 'recording');
const stream = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe('exchanges in two parts, the request before its answer', () => {
  const begins = (exchange: string, body: object = request) => ({
    exchange,
    url: 'https://api.example.com/v1/chat/completions',
    startTime: '2026-01-01T00:00:00Z',
    request: body,
    response: null,
  });
  const ends = (exchange: string, body: unknown = response, status = 200) => ({
    exchange,
    status,
    endTime: '2026-01-01T00:00:02Z',
    response: body,
  });
  const asked = (content: string) => ({ ...request, messages: [{ role: 'user', content }] });
  const answered = (content: string) => ({
    ...response,
    choices: [{ index: 0, message: { role: 'assistant', content } }],
  });
  const recorded = (...values: readonly object[]) =>
    text(values.map((each) => JSON.stringify(each)).join('\n'));

  test('are one exchange', async () => {
    const result = await recorded(begins('1'), ends('1'));
    expect(said(result)).toEqual(expected);
    expect(result.problems).toEqual([]);
  });

  test('stand with their request alone while there is no answer', async () => {
    const result = await recorded(begins('1'));
    expect(said(result)).toEqual(expected.slice(0, 2));
    expect(result.problems).toEqual([]);
  });

  test('may come one into another', async () => {
    const values = [begins('1', asked('a')), begins('2', asked('b')), ends('2', answered('to b'))];
    const result = await recorded(...values, ends('1', answered('to a')));
    const talks = result.conversations.map(({ records }) =>
      said({ ...result, conversations: [{ id: 'x', title: 'x', records }] }),
    );
    expect(talks).toEqual([
      ['user: a', 'assistant: to a'],
      ['user: b', 'assistant: to b'],
    ]);
  });

  test('that failed say why, and a recording of failures alone is one', async () => {
    const result = await recorded(begins('1'), ends('1', { error: { message: 'Overloaded' } }, 529));
    expect(said(result).slice(0, 2)).toEqual(expected.slice(0, 2));
    expect(JSON.stringify(result.conversations)).toContain('Overloaded');
  });

  test('without their request keep what they say', async () => {
    const result = await recorded(begins('1'), ends('1'), ends('7', answered('An answer to nothing')));
    expect(JSON.stringify(result.conversations)).toContain('An answer to nothing');
  });
});

describe('recorded traffic of models', () => {
  const har = (...entries: object[]) => ({ log: { version: '1.2', creator: { name: 'browser' }, entries } });
  const entry = (body: unknown, answer: string, more: object = {}) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 1500,
    request: {
      method: 'POST',
      url: 'https://api.example.com/v1/chat/completions',
      headers: [],
      postData: { mimeType: 'application/json', text: JSON.stringify(body) },
    },
    response: { status: 200, headers: [], content: { mimeType: 'application/json', text: answer, ...more } },
  });

  test('a HAR file: requests with times, durations and what else the browser loaded', async () => {
    const picture = {
      request: { method: 'GET', url: 'https://example.com/a.png' },
      response: { status: 200, content: { text: 'pixels pixels' } },
    };
    const next = {
      ...request,
      messages: [...request.messages, response.choices[0]!.message, { role: 'user', content: 'more' }],
    };
    const result = await read(
      har(
        picture,
        entry(request, JSON.stringify(response)),
        entry(
          next,
          Buffer.from(JSON.stringify({ error: { message: 'no oven', type: 'busy' } })).toString('base64'),
          { encoding: 'base64' },
        ),
      ),
    );
    expect(result.format).toBe('api-traffic');
    expect(said(result)).toEqual([...expected, 'user: more']);
    expect(ofType(result, 'request')).toMatchObject([
      {
        model: 'm-1',
        endpoint: 'api.example.com',
        durationMs: 1500,
        finishReason: 'stop',
        usage: { inputTokens: 5 },
        source: { request: { temperature: 0.5 } },
      },
      { error: { message: 'no oven', code: 'busy' } },
    ]);
    expect(ofType(result, 'imported')).toMatchObject([
      { kind: 'other traffic', value: { response: 'pixels pixels' } },
    ]);
    expect(result.problems).toEqual([]);
  });

  test('a HAR file without a model is not ours', async () => {
    const page = {
      request: { method: 'GET', url: 'https://example.com' },
      response: { status: 200, content: { text: '<p>' } },
    };
    expect((await read(har(page))).format).toBe('unknown');
  });

  test('a cassette in YAML', async () => {
    const cassette = [
      'interactions:',
      '- request:',
      `    body: '${JSON.stringify(request)}'`,
      '    headers: {}',
      '    method: POST',
      '    uri: https://api.example.com/v1/chat/completions',
      '  response:',
      '    body:',
      `      string: '${JSON.stringify(response)}'`,
      '    status: {code: 200, message: OK}',
      'version: 1',
    ].join('\n');
    const result = await text(cassette);
    expect(said(result)).toEqual(expected);
    expect(ofType(result, 'request')).toMatchObject([{ endpoint: 'api.example.com', model: 'm-1' }]);
  });

  test('a cassette that is no YAML is reported', async () => {
    const result = await text('interactions:\n- request: {\n');
    expect(result.problems[0]?.message).toContain('This looks like a cassette in YAML');
  });

  test.each([
    ['request and response', { request, response }],
    ['bodies', { request_body: JSON.stringify(request), response_body: JSON.stringify(response) }],
    [
      'a whole request with its body',
      { request: { method: 'POST', body: request }, response: { status: 200, body: response } },
    ],
    ['a request that holds its answer', { ...request, response }],
  ])('lines of exchanges: %s', async (_, line) => {
    await expectSaid([{ ...line, timestamp: '2026-01-01T00:00:00Z' }], 'api-traffic', expected);
  });

  test('requests that begin differently are conversations of their own', async () => {
    const other = { ...request, messages: [{ role: 'user', content: 'Give it a title' }] };
    const result = await read([
      { request, response },
      { request: other, response },
    ]);
    expect(result.conversations.map(({ title }) => title)).toEqual(['hi', 'Give it a title']);
  });

  test('a beginning that is sent again with marks for a cache is the same one', async () => {
    const marked = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } };
    const again = {
      ...request,
      messages: [request.messages[0], { role: 'user', content: [marked] }, { role: 'user', content: 'more' }],
    };
    const lines = [request, again].map((each) => JSON.stringify({ request: each, response }));
    expect((await text(lines.join('\n'))).conversations).toHaveLength(1);
  });

  test('other instructions for what was said before, its answer included, go on with it', async () => {
    const answer = response.choices[0]!.message;
    const next = (system: string, ...more: object[]) => ({
      ...request,
      messages: [{ role: 'system', content: system }, user, answer, ...more],
    });
    const result = await read([
      { request, response },
      { request: next('It is Tuesday.', { role: 'user', content: 'more' }), response },
      { request: next('It is Wednesday.', { role: 'user', content: 'more' }, answer), response },
    ]);
    expect(said(result)).toEqual([
      ...expected,
      'system: It is Tuesday.',
      'user: more',
      'assistant: ok',
      'system: It is Wednesday.',
      'assistant: ok',
    ]);
    expect(result.conversations).toHaveLength(1);
  });

  test('other instructions for the same question are another agent', async () => {
    const other = { ...request, messages: [{ role: 'system', content: 'Be rude.' }, user] };
    const result = await read([
      { request, response },
      { request: other, response },
    ]);
    expect(result.conversations).toHaveLength(2);
  });

  test("Claude Code's line for accounts, which changes with each request, is no new instruction", async () => {
    const billing = (request: number) => `x-anthropic-billing-header: cc_version=2.1; cch=${request};`;
    const asked = (index: number, ...messages: object[]) => ({
      model: 'claude',
      system: [
        { type: 'text', text: billing(index) },
        { type: 'text', text: 'You code.' },
      ],
      messages,
    });
    const answered = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'ok' }] };
    const answer = { role: 'assistant', content: answered.content };
    const result = await read([
      { request: asked(1, user), response: answered },
      { request: asked(2, user, answer, { role: 'user', content: 'more' }), response: answered },
    ]);
    expect(said(result).map((line) => line.split(':')[0])).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(ofType(result, 'request')).toMatchObject([
      { source: { billing: [billing(1)] } },
      { source: { billing: [billing(2)] } },
    ]);
    expect(result.problems).toEqual([]);
  });

  test('ids of items that were sent stand with the request that first sent them', async () => {
    const asked = { type: 'message', id: 'msg_1', role: 'user', content: 'hi' };
    const answer = { type: 'message', id: 'msg_2', role: 'assistant', content: 'ok' };
    const more = { type: 'message', id: 'msg_3', role: 'user', content: 'more' };
    const answered = { object: 'response', output: [answer] };
    const result = await read([
      { request: { model: 'm', input: [asked] }, response: answered },
      { request: { model: 'm', input: [asked, answer, more] }, response: { object: 'response', output: [] } },
    ]);
    expect(ofType(result, 'request')).toMatchObject([
      { source: { itemIds: ['msg_1'] } },
      { source: { itemIds: ['msg_3'] } },
    ]);
    expect(said(result)).toEqual(['user: hi', 'assistant: ok', 'user: more']);
  });

  test("one answer of OpenAI's", async () => {
    await expectSaid([response], 'api-traffic', ['assistant: ok']);
  });
});

describe('a recorded stream', () => {
  const call = (delta: object, more: object = {}) => ({
    id: 'x',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, ...more }],
  });

  test('of chat completions', async () => {
    const part = (fn: object, id?: string) =>
      call({ tool_calls: [{ index: 0, ...(id !== undefined && { id, type: 'function' }), function: fn }] });
    const events = [
      call({ role: 'assistant', content: 'o' }),
      call({ content: 'k', reasoning_content: 'hm' }),
      part({ name: 'ls', arguments: '' }, 't1'),
      part({ arguments: '{"a"' }),
      part({ arguments: ':1}' }),
      call({}, { finish_reason: 'tool_calls' }),
      { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
    ];
    const result = await text(`${stream(events)}data: [DONE]\n\n`);
    expect(result.format).toBe('api-traffic');
    expect(said(result)).toEqual(['assistant: ok ls({"a":1})']);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
    expect(result.problems).toEqual([]);
  });

  const message = [
    {
      type: 'message_start',
      message: {
        type: 'message',
        role: 'assistant',
        model: 'c',
        content: [],
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'o' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'k' } },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 't1', name: 'ls', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];

  test("of Anthropic's, as server-sent events and as lines", async () => {
    const sse = message.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    for (const source of [sse, message.map((event) => JSON.stringify(event)).join('\n')]) {
      const result = await text(source);
      expect(said(result)).toEqual(['assistant: ok ls({"a":1})']);
      expect(ofType(result, 'request')).toMatchObject([
        { model: 'c', finishReason: 'tool_use', usage: { inputTokens: 7, outputTokens: 9 } },
      ]);
      expect(result.problems).toEqual([]);
    }
  });

  test("of OpenAI's Responses API, whole and cut", async () => {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
    const begin = {
      type: 'response.created',
      response: { id: 'r', object: 'response', model: 'm', output: [] },
    };
    const whole = {
      type: 'response.completed',
      response: {
        object: 'response',
        model: 'm',
        output: [item],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    };
    const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'ok' };
    for (const events of [
      [begin, delta, whole],
      [begin, delta],
    ])
      expect(said(await text(stream(events)))).toEqual(['assistant: ok']);
  });

  test("of Gemini's", async () => {
    const chunk = (said: string, more = {}) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: said }] }, ...more }],
      modelVersion: 'g',
    });
    const result = await text(
      stream([
        chunk('o'),
        chunk('k', { finishReason: 'STOP' }),
        { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, thoughtsTokenCount: 3 } },
      ]),
    );
    expect(said(result)).toEqual(['assistant: ok']);
    expect(ofType(result, 'request')).toMatchObject([
      { model: 'g', finishReason: 'STOP', usage: { inputTokens: 4, outputTokens: 5, reasoningTokens: 3 } },
    ]);
  });
});

describe("Gemini's contents", () => {
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    {
      role: 'model',
      parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'ls', args: { a: 1 } } }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'files' } } }] },
    { role: 'model', parts: [{ text: 'ok' }] },
  ];
  const talk = [
    'user: [{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',
    'assistant: null ls({"a":1})',
    'tool : files',
    'assistant: ok',
  ];

  test.each([
    ['a list', contents, []],
    ['a request', { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents }, ['system: Be brief.']],
  ])('as %s', async (_, value, before) => {
    const result = await read(value);
    expect(said(result)).toEqual([...before, ...talk]);
    expect(result.problems).toEqual([]);
  });
});

test('the answers of a batch, which stand apart from their requests', async () => {
  const result = await read([
    { id: 'b1', custom_id: 'one', response: { status_code: 200, body: response }, error: null },
    { id: 'b2', custom_id: 'two', response: { status_code: 200, body: response }, error: null },
  ]);
  expect(said(result)).toEqual(['assistant: ok', 'assistant: ok']);
  expect(query(result).stats().usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
});

test("Bedrock's log of invocations: its bodies, the model beside them, its usage", async () => {
  const result = await read([
    {
      schemaType: 'ModelInvocationLog',
      timestamp: '2025-01-01T10:00:00Z',
      modelId: 'a-model',
      input: { inputBodyJson: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] } },
      output: {
        outputBodyJson: {
          output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
          usage: { inputTokens: 30, outputTokens: 6 },
        },
      },
    },
  ]);
  expect(said(result)).toEqual(['user: hi', 'assistant: ok']);
  expect(ofType(result, 'request')).toMatchObject([
    { model: 'a-model', usage: { inputTokens: 30, outputTokens: 6 } },
  ]);
});

describe('a client that sends the calls of its model again with other arguments', () => {
  const called = (id: string, args: object) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'edit', arguments: JSON.stringify(args) } }],
  });
  const result = { role: 'tool', tool_call_id: 'k1', content: 'edited' };
  const ask = { role: 'user', content: 'Edit it.' };
  const exchanges = (again: object, answer: object) => [
    {
      request: { model: 'm', messages: [ask] },
      response: { choices: [{ message: called('k1', { path: 'a' }) }] },
    },
    { request: { model: 'm', messages: [ask, again, result] }, response: { choices: [{ message: answer }] } },
  ];
  const done = { role: 'assistant', content: 'Done.' };

  test('has added defaults: it is the same call', async () => {
    const read_ = await read(exchanges(called('k1', { all: false, path: 'a' }), done));
    expect(said(read_)).toEqual([
      'user: Edit it.',
      'assistant: null edit({"path":"a"})',
      'tool k1: edited',
      'assistant: Done.',
    ]);
  });

  test('has changed one: both stand', async () => {
    const read_ = await read(exchanges(called('k1', { path: 'b' }), done));
    expect(said(read_).filter((line) => line.includes('edit('))).toEqual([
      'assistant: null edit({"path":"a"})',
      'assistant: null edit({"path":"b"})',
    ]);
  });

  test('calls that only share their id are several', async () => {
    const read_ = await read(exchanges(called('k1', { path: 'a' }), called('k1', { path: 'b' })));
    expect(said(read_).filter((line) => line.includes('edit('))).toHaveLength(2);
  });
});

import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { parseEndpointUrl } from '../../../../src/agents/models/endpoint.js';
import { OpenAiModel } from '../../../../src/agents/models/openaiModel.js';
import { hearing, modelAt } from '../../../support/modelAt.js';
import { hear } from '../../../support/readModel.js';
import { calling, chunk, refusing, saying, stream, usageChunk } from '../../../support/wireAnswers.js';

test('a text is streamed piece by piece, with its usage', async () => {
  const heard = await hearing(saying('Grüße 🥒!'));
  expect(heard).toMatchObject({ text: 'Grüße 🥒!', finish: 'stop' });
  expect(heard.usage).toEqual({ inputTokens: 10, outputTokens: 9, estimated: false });
  expect(heard.events).toBeGreaterThan(8);
});

test('tool calls come in fragments', async () => {
  const heard = await hearing(
    calling({ id: 'a', name: 'read_file', args: { path: 'x.ts' } }, { id: 'b', name: 'now', args: '' }),
  );
  expect(heard.finish).toBe('tool_calls');
  expect(heard.calls).toEqual([
    { id: 'a', name: 'read_file', arguments: '{"path":"x.ts"}' },
    { id: 'b', name: 'now', arguments: '' },
  ]);
});

test.each([
  ['one byte at a time', (bytes: Buffer) => [...bytes].map((byte) => Uint8Array.of(byte))],
  ['with line ends of Windows', (bytes: Buffer) => [bytes.toString().replaceAll('\n', '\r\n')]],
  [
    'with comments in between',
    (bytes: Buffer) => [`: hello\n\n${bytes.toString().replaceAll('data:', ': x\ndata:')}`],
  ],
  [
    'with fields that nobody knows',
    (bytes: Buffer) => [bytes.toString().replaceAll('data:', 'id: 7\nretry: 1\ndata:')],
  ],
  ['without the blank after the colon', (bytes: Buffer) => [bytes.toString().replaceAll('data: ', 'data:')]],
  ['in one piece', (bytes: Buffer) => [bytes]],
])('a stream is read %s', async (_, cut) => {
  const whole = saying('Gurke 🥒');
  const pieces = cut(Buffer.from((whole.pieces ?? []).join('')));
  expect(await hearing({ pieces })).toMatchObject({ text: 'Gurke 🥒', finish: 'stop' });
});

test('the request is what the protocol says and no more', async () => {
  const { server, model } = await modelAt([saying('ok')], { headers: { 'x-team': 'green' } }, 'sk-secret');
  await hear(model, {
    messages: [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        refusal: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'noon', name: 'now' },
    ],
    tools: [{ name: 'now', description: 'The time.', parameters: { type: 'object' } }],
  });
  expect(server.violations).toEqual([]);
  const [request] = server.requests;
  expect(request?.path).toBe('/v1/chat/completions');
  expect(request?.body).toEqual({
    model: 'test-model',
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'noon' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: 'function',
        function: { name: 'now', description: 'The time.', parameters: { type: 'object' } },
      },
    ],
  });
  expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-secret', 'x-team': 'green' });
  const about = Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-stainless'));
  expect(about).toEqual([]);
  expect(request?.headers['user-agent']).toBe('agent-logbook');
});

test('nothing stays on the signal of a call, however often it asks and however that ends', async () => {
  const answers = [
    saying('ok'),
    refusing(503, 'no'),
    { ...saying('cut'), then: 'cut' as const },
    calling({ name: 'x' }),
  ];
  const { model } = await modelAt((_, index) => answers[index % answers.length] ?? saying('ok'));
  const { signal } = new AbortController();
  for (let request = 0; request < 8; request++) await hear(model, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an endpoint without a key gets none', async () => {
  const { server, model } = await modelAt([saying('ok')]);
  await hear(model);
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test('the extra body is sent, but cannot replace what is said', async () => {
  const extraBody = { temperature: 0, model: 'other', messages: [], stream: false };
  const { server, model } = await modelAt([saying('ok')], { extraBody });
  await hear(model);
  expect(server.requests[0]?.body).toMatchObject({ temperature: 0, model: 'other', stream: true });
  expect(server.requests[0]?.messages).toHaveLength(1);
});

test('an endpoint that refuses to tell the usage is asked without it, from then on', async () => {
  const { server, model } = await modelAt(({ body }) =>
    'stream_options' in body
      ? { ...refusing(422, ''), pieces: ['{"detail":[{"loc":["body","stream_options"],"msg":"extra"}]}'] }
      : stream(chunk({ content: 'ok' }, 'stop')),
  );
  expect(await hear(model)).toMatchObject({ text: 'ok', finish: 'stop' });
  const second = await hear(model);
  expect(second).toMatchObject({ text: 'ok' });
  expect(second.usage).toBeUndefined();
  expect(server.requests).toHaveLength(3);
});

test('usage counts what is cached and thought as the provider says it', async () => {
  const usage = {
    ...usageChunk(100, 20),
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 12 },
    },
  };
  const heard = await hearing(stream(chunk({ content: 'ok' }, 'stop'), usage));
  expect(heard.usage).toEqual({
    inputTokens: 100,
    outputTokens: 20,
    cachedInputTokens: 64,
    reasoningTokens: 12,
    estimated: false,
  });
});

test('nothing from the environment reaches an endpoint', async () => {
  const names = [
    'OPENAI_API_KEY',
    'OPENAI_ORG_ID',
    'OPENAI_PROJECT_ID',
    'OPENAI_BASE_URL',
    'OPENAI_CUSTOM_HEADERS',
  ];
  for (const name of names)
    vi.stubEnv(name, name === 'OPENAI_CUSTOM_HEADERS' ? 'x-custom: stolen' : 'http://stolen');
  try {
    const { server, model } = await modelAt([saying('ok')]);
    expect(await hear(model)).toMatchObject({ text: 'ok' });
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('stolen');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the query of the base URL and a header of its own for the key are used', async () => {
  const server = await modelAt([saying('ok')]);
  const url = parseEndpointUrl(`${server.server.url}?api-version=2026`);
  if (typeof url === 'string') throw new Error(url);
  const endpoint = { name: 'azure', url, keyHeader: 'api-key' };
  const model = new OpenAiModel({ endpoint, model: 'test-model', apiKey: async () => 'sk-secret' });
  await hear(model);
  const [request] = server.server.requests;
  expect(request?.path).toBe('/v1/chat/completions?api-version=2026');
  expect(request?.headers).toMatchObject({ 'api-key': 'sk-secret' });
  expect(request?.headers.authorization).toBeUndefined();
});

test('a key that cannot be read is a failure', async () => {
  const { model } = await modelAt([saying('never')]);
  const url = parseEndpointUrl('https://localhost');
  if (typeof url === 'string') throw new Error(url);
  const locked = new OpenAiModel({
    endpoint: { name: 'here', url },
    model: model.id,
    apiKey: async () => Promise.reject(new Error('the safe is locked')),
  });
  expect((await hear(locked)).error).toMatchObject({ code: 'adapter', retryable: false });
});

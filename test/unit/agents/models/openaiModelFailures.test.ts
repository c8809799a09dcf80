import { expect, test } from 'vitest';
import { hearing, modelAt } from '../../../support/modelAt.js';
import { hear } from '../../../support/readModel.js';
import { chunk, DONE, refusing, saying, sse, stream, type WireAnswer } from '../../../support/wireAnswers.js';

test.each([
  [400, 'bad', {}, { code: 'http', retryable: false }],
  [
    400,
    "This model's maximum context length is 8192 tokens",
    {},
    { code: 'contextLength', retryable: false },
  ],
  [401, 'no key', {}, { code: 'auth', retryable: false }],
  [402, 'pay', {}, { code: 'quota', retryable: false }],
  [404, 'no such model', {}, { code: 'notFound', retryable: false }],
  [408, 'slow', {}, { retryable: true }],
  [409, 'conflict', {}, { retryable: true }],
  [429, 'slow down', { 'retry-after': '2' }, { code: 'rateLimit', retryable: true, retryAfterMs: 2000 }],
  [429, 'slow down', { 'retry-after-ms': '150' }, { retryable: true, retryAfterMs: 150 }],
  [429, 'You exceeded your quota: insufficient_quota', {}, { code: 'quota', retryable: false }],
  [500, 'oops', {}, { retryable: true }],
  [503, 'busy', { 'retry-after': '-5' }, { retryable: true }],
  [529, 'overloaded', {}, { retryable: true }],
])('status %i (%s) with %j', async (status, message, headers, expected) => {
  const { error } = await hearing(refusing(status, message, headers));
  expect(error).toMatchObject({ status, ...expected });
  expect(error?.message).toBe(`The endpoint answered ${status}: ${message}`);
});

test('a date to wait for is taken as the time until then', async () => {
  const date = new Date(Date.now() + 30_000).toUTCString();
  const { error } = await hearing(refusing(503, 'busy', { 'retry-after': date }));
  expect(error?.retryAfterMs).toBeGreaterThan(20_000);
  expect(error?.retryAfterMs).toBeLessThan(31_000);
});

test('what the endpoint says back does not show the key', async () => {
  const { model } = await modelAt([refusing(401, 'Incorrect API key provided: sk-secret')], {}, 'sk-secret');
  const { error } = await hear(model);
  expect(error?.message).toBe('The endpoint answered 401: Incorrect API key provided: •••');
});

test('a redirect is not followed', async () => {
  const { server, model } = await modelAt([
    { status: 307, headers: { location: 'http://127.0.0.1:1/evil' } },
    saying('ok'),
  ]);
  const { error } = await hear(model);
  expect(error).toMatchObject({ code: 'redirect', retryable: false });
  expect(error?.message).toContain('http://127.0.0.1:1/evil');
  expect(server.requests).toHaveLength(1);
});

test('an error inside of a stream ends it, and what was said stays', async () => {
  const heard = await hearing({
    pieces: [
      sse(chunk({ content: 'Once upon' })),
      sse({ error: { message: 'overloaded', type: 'overloaded_error' } }),
    ],
  });
  expect(heard).toMatchObject({ text: 'Once upon', error: { code: 'provider', retryable: true } });
});

test('an error of a choice is an error, with the status it names', async () => {
  const choice = {
    index: 0,
    delta: { content: '' },
    finish_reason: 'error',
    error: { code: 502, message: 'upstream' },
  };
  const heard = await hearing(stream({ choices: [choice] }));
  expect(heard.error).toMatchObject({ status: 502, retryable: true });
});

test.each<[string, WireAnswer, string]>([
  ['is cut', { pieces: [sse(chunk({ content: 'Once' }))], then: 'cut' }, 'network'],
  ['just ends', { pieces: [sse(chunk({ content: 'Once' }))] }, 'cutStream'],
  ['holds what is no JSON', { pieces: [sse(chunk({ content: 'Once' })), 'data: {"a\n\n'] }, 'badResponse'],
])('a stream that %s is an error that may pass', async (_, answer, code) => {
  expect(await hearing(answer)).toMatchObject({ text: 'Once', error: { code, retryable: true } });
});

test('a stream that is cut after the model was done is whole', async () => {
  const pieces = [sse(chunk({ content: 'Once' })), sse(chunk({}, 'stop'))];
  const heard = await hearing({ pieces, then: 'cut' });
  expect(heard).toMatchObject({ text: 'Once', finish: 'stop' });
  expect(heard.error).toBeUndefined();
});

test('an end without a reason is an end', async () => {
  expect(await hearing({ pieces: [sse(chunk({ content: 'Hm' })), DONE] })).toMatchObject({
    finish: 'unknown',
  });
});

test('an endpoint that does not stream is understood', async () => {
  const message = { role: 'assistant', content: 'Hello', reasoning_content: 'short' };
  const body = {
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  const heard = await hearing({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(body, null, 2)],
  });
  expect(heard).toMatchObject({
    text: 'Hello',
    reasoning: 'short',
    finish: 'stop',
    usage: { outputTokens: 2 },
  });
});

test('nothing at the address is an error that may pass', async () => {
  const { server, model } = await modelAt([]);
  await server.close();
  expect((await hear(model)).error).toMatchObject({ code: 'network', retryable: true });
});

test.each([
  [
    'before it begins',
    { firstByteMs: 30 },
    { after: new Promise(() => undefined) },
    'did not begin to answer within 0.03 s',
  ],
  [
    'in the middle',
    { idleMs: 30 },
    { pieces: [sse(chunk({ content: 'a' }))], then: 'hang' as const },
    'fell silent',
  ],
])('an endpoint that falls silent %s is given up', async (_, limits, answer, words) => {
  const { error } = await hearing(answer, {}, { limits });
  expect(error).toMatchObject({ code: 'timeout', retryable: true });
  expect(error?.message).toContain(words);
});

test('comments do not keep an endless answer alive', async () => {
  const pieces = Array.from({ length: 400_000 }, () => ': still here\n\n');
  const { error } = await hearing({ pieces }, {}, { limits: { totalMs: 50, idleMs: 10_000 } });
  expect(error).toMatchObject({ code: 'timeout' });
  expect(error?.message).toContain('did not finish');
});

test('a body without end is given up', async () => {
  const pieces = Array.from({ length: 100 }, () => sse(chunk({ content: 'x'.repeat(1000) })));
  const { error } = await hearing({ pieces }, {}, { limits: { bodyBytes: 20_000 } });
  expect(error).toMatchObject({ code: 'tooLong', retryable: false });
});

test('aborting ends the stream at once and closes the connection', async () => {
  const { server, model } = await modelAt([{ pieces: [sse(chunk({ content: 'a' }))], then: 'hang' }]);
  const controller = new AbortController();
  const request = {
    messages: [{ role: 'user', content: 'hi' }],
    tools: [],
    agent: 'P',
    signal: controller.signal,
  } as const;
  const kinds: string[] = [];
  for await (const event of model.stream(request)) {
    kinds.push(event.type === 'error' ? event.error.code : event.type);
    if (event.type === 'text') controller.abort();
  }
  expect(kinds).toEqual(['text', 'cancelled']);
  await expect.poll(() => server.abandoned).toBe(1);
});

test('leaving the stream early closes the connection', async () => {
  const { server, model } = await modelAt([{ pieces: [sse(chunk({ content: 'a' }))], then: 'hang' }]);
  const signal = new AbortController().signal;
  for await (const event of model.stream({
    messages: [{ role: 'user', content: 'hi' }],
    tools: [],
    agent: 'P',
    signal,
  })) {
    if (event.type === 'text') break;
  }
  await expect.poll(() => server.abandoned).toBe(1);
});

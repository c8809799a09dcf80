import { expect, test } from 'vitest';
import type { ModelFailure } from '../../../../src/core/ports/model.js';
import { hearing } from '../../../support/modelAt.js';
import { google, openAi, refused } from '../../../support/refusals.js';
import { chunk, sse } from '../../../support/wireAnswers.js';

test.each([
  [
    'Gemini: a list',
    400,
    google(400, 'Please use a valid role: user, model.', 'INVALID_ARGUMENT'),
    'Please use a valid role: user, model.',
  ],
  [
    'Ollama: a text',
    404,
    { error: "model 'x' not found, try pulling it first" },
    "model 'x' not found, try pulling it first",
  ],
  [
    'Mistral: faults of a schema',
    422,
    {
      object: 'error',
      message: {
        detail: [
          { type: 'extra_forbidden', loc: ['body', 'foo'], msg: 'Extra inputs are not permitted', input: 1 },
        ],
      },
    },
    'body.foo: Extra inputs are not permitted',
  ],
  [
    'FastAPI: detail',
    422,
    { detail: [{ loc: ['body', 'top_k'], msg: 'field required' }] },
    'body.top_k: field required',
  ],
  ['FastAPI: a text', 404, { detail: 'Not Found' }, 'Not Found'],
  [
    'Cloudflare: errors',
    400,
    { success: false, errors: [{ code: 7003, message: 'Could not route' }] },
    'Could not route',
  ],
  [
    'SiliconFlow: flat',
    400,
    { code: 20015, message: 'length of messages', data: null },
    'length of messages',
  ],
  [
    'OpenRouter: what is behind it',
    502,
    {
      error: {
        code: 502,
        message: 'Provider returned error',
        metadata: { provider_name: 'Novita', raw: 'upstream connect error' },
      },
    },
    'Provider returned error (Novita: upstream connect error)',
  ],
  [
    'a proxy: its web page',
    502,
    '<html>\r\n<head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>',
    '502 Bad Gateway',
  ],
  [
    'a proxy: a page without a title',
    503,
    '<html><body><h1>Service <b>Unavailable</b></h1></body></html>',
    'Service Unavailable',
  ],
  ['a proxy: plain words', 504, 'upstream request timeout', 'upstream request timeout'],
])('%s (%i) is told in its own words', async (_, status, body, words) => {
  expect((await refused(status, body)).message).toBe(`The endpoint answered ${status}: ${words}`);
});

test('a refusal without a word is known by its status', async () => {
  expect((await refused(500, '')).message).toBe('The endpoint answered 500');
});

test('words of a refusal that are cut between writes are whole', async () => {
  const body = Buffer.from(JSON.stringify(openAi('zu groß 🥒')));
  const pieces = Array.from(body, (byte) => Uint8Array.of(byte));
  expect((await hearing({ status: 400, pieces })).error?.message).toBe(
    'The endpoint answered 400: zu groß 🥒',
  );
});

test.each([
  ['OpenAI', 401, openAi('Incorrect API key provided: sk-…', 'invalid_api_key')],
  ['Gemini', 400, google(400, 'API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT')],
  [
    'Anthropic',
    401,
    { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  ],
])('%s: a wrong key (%i)', async (_, status, body) => {
  expect(await refused(status, body)).toMatchObject({ code: 'auth', retryable: false });
});

test.each([
  [
    'Azure',
    400,
    openAi(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      'content_filter',
    ),
  ],
  [
    'OpenRouter',
    403,
    { error: { code: 403, message: 'm requires moderation on OpenAI. Your input was flagged' } },
  ],
  ['DashScope', 400, openAi('Input data may contain inappropriate content.', 'data_inspection_failed')],
])('%s: a prompt that is withheld (%i)', async (_, status, body) => {
  expect(await refused(status, body)).toMatchObject({ code: 'contentFilter', retryable: false });
});

test.each<[string, unknown, Partial<ModelFailure>]>([
  [
    'OpenAI: an object',
    { error: { message: 'The server had an error', type: 'server_error', code: null } },
    { retryable: true },
  ],
  [
    'Anthropic: its own envelope',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { retryable: true },
  ],
  ['Ollama: a text', { error: 'model runner has unexpectedly stopped' }, { retryable: true }],
  [
    'vLLM: flat',
    { object: 'error', message: 'engine died', type: 'InternalServerError', code: 500 },
    { status: 500, retryable: true },
  ],
  [
    'Gemini: a list',
    google(503, 'The model is overloaded.', 'UNAVAILABLE'),
    { status: 503, retryable: true },
  ],
  [
    'Azure: a status as a text',
    { error: { code: '429', message: 'Please retry after 2 seconds.' } },
    { code: 'rateLimit', retryAfterMs: 2000, retryable: true },
  ],
  [
    'OpenRouter: in a choice',
    {
      choices: [
        {
          index: 0,
          delta: { content: '' },
          finish_reason: 'error',
          error: { code: 502, message: 'disconnected' },
        },
      ],
    },
    { status: 502, retryable: true },
  ],
  ['final ones', { error: { message: 'Unsupported', type: 'invalid_request_error' } }, { retryable: false }],
])('an error inside of a stream of 200 is one, and what was said stays: %s', async (_, event, expected) => {
  const pieces = [
    sse(chunk({ content: 'So far' })),
    `data: ${JSON.stringify(event)}\n\n`,
    'data: [DONE]\n\n',
  ];
  const heard = await hearing({ pieces });
  expect(heard.text).toBe('So far');
  expect(heard.error).toMatchObject(expected);
  expect(heard.finish).toBeUndefined();
});

test('LM Studio: an error as an event of that name', async () => {
  const pieces = [
    sse(chunk({ content: 'So' })),
    'event: error\ndata: {"error":{"message":"The model has crashed"}}\n\n',
  ];
  const heard = await hearing({ pieces });
  expect(heard.error?.message).toContain('The model has crashed');
});

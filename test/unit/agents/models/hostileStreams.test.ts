import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { parseEndpointUrl } from '../../../../src/agents/models/endpoint.js';
import type { HttpLimits } from '../../../../src/agents/models/httpLimits.js';
import { OpenAiModel } from '../../../../src/agents/models/openaiModel.js';
import { RawServer, type RawAnswer } from '../../../support/rawServer.js';
import { hear } from '../../../support/readModel.js';
import { chunk, DONE, sse } from '../../../support/wireAnswers.js';

const KEY = 'sk-this-is-the-key';

/** What one answer comes to: what was said, how it ended, or which failure there was and words of it. */
interface Outcome {
  readonly text?: unknown;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish?: string;
  readonly code?: string;
  readonly words?: string;
  readonly retryable?: boolean;
  readonly usage?: unknown;
}

type Row = [what: string, answer: RawAnswer, outcome: Outcome, limits?: Partial<HttpLimits>];

const says = (content: unknown) => sse(chunk({ content }));
const STOP = sse(chunk({}, 'stop'));
const WHOLE = says('ok') + STOP + DONE;

/** A response with a body that ends with the connection. */
function response(headers: string, ...body: readonly (string | Uint8Array)[]): RawAnswer {
  return { pieces: [`HTTP/1.1 200 OK\r\nconnection: close\r\n${headers}\r\n`, ...body] };
}

const STREAM = 'content-type: text/event-stream\r\n';
const events = (...body: readonly (string | Uint8Array)[]) => response(STREAM, ...body);
const chunked = (...body: readonly string[]) => response(`${STREAM}transfer-encoding: chunked\r\n`, ...body);
const asChunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const status = (line: string, headers = '', body: string | Uint8Array = ''): RawAnswer => ({
  pieces: [`HTTP/1.1 ${line}\r\nconnection: close\r\n${headers}\r\n`, body],
});

const packed = (encoding: string, bytes: Uint8Array) =>
  response(`${STREAM}content-encoding: ${encoding}\r\n`, bytes.subarray(0, 20), bytes.subarray(20));

/** An event whose text holds bytes that are no UTF-8. */
const withBytes = (...bytes: readonly number[]) => {
  const [before = '', after = ''] = says('a@b').split('@');
  return Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(after)]);
};
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const call = (index: unknown, rest: Readonly<Record<string, unknown>>) =>
  sse(chunk({ tool_calls: [{ index, ...rest }] }));
const CALLED = sse(chunk({}, 'tool_calls'));
const choice = (index: number, content: string) =>
  sse({ choices: [{ index, delta: { content }, finish_reason: null }] });

const bytesOfStreams: Row[] = [
  ['a byte that is no UTF-8', events(withBytes(0xff), STOP), { text: 'a\ufffdb', finish: 'stop' }],
  ['an overlong NUL', events(withBytes(0xc0, 0x80), STOP), { text: 'a\ufffd\ufffdb', finish: 'stop' }],
  [
    'half of a surrogate as UTF-8',
    events(withBytes(0xed, 0xa0, 0x80), STOP),
    { text: 'a\ufffd\ufffd\ufffdb', finish: 'stop' },
  ],
  [
    'a character that the end of the body cuts',
    events(WHOLE, Uint8Array.of(0xf0, 0x9f)),
    { text: 'ok', finish: 'stop' },
  ],
  [
    'an emoji in halves as two deltas',
    events(
      sse(chunk({ content: '@' })).replace('@', '\\ud83e'),
      sse(chunk({ content: '@' })).replace('@', '\\udd52'),
      STOP,
    ),
    { text: '🥒', finish: 'stop' },
  ],
  ['a NUL between two events', events(says('o'), '\0\n', says('k'), STOP), { text: 'ok', finish: 'stop' }],
  [
    'a line separator within a text',
    events(says('a\u2028b\u2029c'), STOP),
    { text: 'a\u2028b\u2029c', finish: 'stop' },
  ],
  [
    'a raw line break within a text',
    events('data: {"choices":[{"delta":{"content":"a\nb"}}]}\n\n', STOP),
    { code: 'badResponse', retryable: true },
  ],
  ['UTF-16', events(Buffer.from(WHOLE, 'utf16le')), { code: 'badResponse', words: 'no JSON' }],
  [
    'a mark of the byte order in its middle',
    events(says('o'), `\ufeff${says('k')}`, STOP),
    { text: 'ok', finish: 'stop' },
  ],
  ['no blank behind the colon', events(WHOLE.replaceAll('data: ', 'data:')), { text: 'ok', finish: 'stop' }],
  [
    'fields that no browser knows',
    events(`retry: 0\nid: \0\nfoo\n: bar\n${WHOLE}`),
    { text: 'ok', finish: 'stop' },
  ],
  [
    'a line of 3 MB in small pieces',
    events(...(says('x'.repeat(3_000_000)).match(/[^]{1,5000}/g) ?? []), STOP),
    { text: 'x'.repeat(3_000_000), finish: 'stop' },
  ],
  [
    'a line without an end',
    events('data: ', ...Array<string>(100).fill('x'.repeat(10_000))),
    { code: 'tooLong', retryable: false },
    { bodyBytes: 500_000 },
  ],
  ['nothing but blank lines', events('\n'.repeat(100_000)), { code: 'cutStream', retryable: true }],
];

const compressed: Row[] = [
  ['gzip that nobody asked for', packed('gzip', gzipSync(WHOLE)), { text: 'ok', finish: 'stop' }],
  ['gzip in capitals', packed('X-GZIP', gzipSync(WHOLE)), { text: 'ok', finish: 'stop' }],
  ['deflate', packed('deflate', deflateSync(WHOLE)), { text: 'ok', finish: 'stop' }],
  ['brotli', packed('br', brotliCompressSync(WHOLE)), { text: 'ok', finish: 'stop' }],
  [
    'gzip that breaks off',
    packed('gzip', gzipSync(says(randomBytes(3_000).toString('hex')) + STOP).subarray(0, 60)),
    { code: 'badResponse', words: 'gzip', retryable: true },
  ],
  [
    'what is called gzip and is none',
    response(`${STREAM}content-encoding: gzip\r\n`, WHOLE),
    { code: 'badResponse', words: 'gzip', retryable: true },
  ],
  [
    'gzip of a text that never ends',
    packed('gzip', gzipSync(Buffer.alloc(8_000_000, ': x\n'))),
    { code: 'tooLong', retryable: false },
    { bodyBytes: 100_000 },
  ],
  [
    'what is called brotli and is none',
    packed('br', Buffer.from(WHOLE)),
    { code: 'badResponse', words: "'br'", retryable: true },
  ],
  [
    'an encoding that nobody knows',
    packed('rot13', Buffer.from(WHOLE)),
    { code: 'badResponse', words: 'rot13', retryable: false },
  ],
  [
    'a refusal in gzip',
    {
      pieces: [
        'HTTP/1.1 401 No\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n',
        gzipSync('{"error":{"message":"wrong key"}}'),
      ],
    },
    { code: 'auth', words: 'wrong key', retryable: false },
  ],
];

const lies: Row[] = [
  [
    'a length that is too large',
    response(`${STREAM}content-length: 100000\r\n`, says('ok')),
    { text: 'ok', code: 'network', retryable: true },
  ],
  [
    'a length that is too small',
    response(`${STREAM}content-length: ${says('ok').length}\r\n`, WHOLE),
    { text: expect.any(String), retryable: true },
  ],
  [
    'two lengths',
    response(`${STREAM}content-length: 5\r\ncontent-length: 7\r\n`, WHOLE),
    { code: 'network' },
  ],
  ['a negative length', response(`${STREAM}content-length: -1\r\n`, WHOLE), { code: 'network' }],
  [
    'a chunk whose size is no number',
    chunked(asChunk(says('ok')), 'zz\r\n'),
    { text: expect.any(String), code: 'network', retryable: true },
  ],
  ['a chunk that is cut', chunked(asChunk(says('ok')), 'fff\r\ndata'), { text: 'ok', code: 'network' }],
  [
    'the last chunk in the middle',
    chunked(asChunk(says('ok')), '0\r\n\r\n', asChunk(STOP)),
    { text: expect.any(String), retryable: true },
  ],
  [
    'a failed gateway within the stream',
    chunked(asChunk(says('ok')), asChunk('HTTP/1.1 502 Bad Gateway\r\n\r\n<html>oops</html>')),
    { text: 'ok', code: 'network' },
  ],
  [
    'a web page behind the first events',
    events(says('ok'), '<html><title>502 Bad Gateway</title></html>'),
    { text: 'ok', code: 'cutStream', retryable: true },
  ],
  [
    'a web page as an event',
    events('data: <!doctype html><title>Log in</title>\n\n'),
    { code: 'badResponse', words: 'Log in' },
  ],
  ['no HTTP at all', { pieces: ['SSH-2.0-OpenSSH_9.2\r\n'] }, { code: 'network' }],
  ['HTTP of version 0.9', { pieces: [WHOLE] }, { code: 'network' }],
  [
    'headers without end',
    { pieces: ['HTTP/1.1 200 OK\r\n', `x-a: ${'a'.repeat(200_000)}\r\n`] },
    { code: 'network' },
  ],
  ['a header with a line break', status('200 OK', 'x: a\rb\r\n', WHOLE), { code: 'network' }],
  [
    'an upgrade to another protocol',
    status('101 Switching Protocols', 'upgrade: evil\r\nconnection: upgrade\r\n'),
    { code: 'network' },
  ],
  ['a status that is none', status('999 Odd', STREAM, WHOLE), { code: 'network' }],
  [
    'an answer behind a hundred hints',
    {
      pieces: [
        'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
        `HTTP/1.1 200 OK\r\nconnection: close\r\n${STREAM}\r\n`,
        WHOLE,
      ],
    },
    { text: 'ok', finish: 'stop' },
  ],
  ['no content', status('204 No Content'), { code: 'cutStream', retryable: true }],
  ['nothing new', status('304 Not Modified'), { code: 'redirect', retryable: false }],
];

const refusals: Row[] = [
  [
    'a redirect to itself',
    status('308 Permanent', 'location: /v1/chat/completions\r\n'),
    { code: 'redirect', words: '/v1/chat/completions' },
  ],
  ['a redirect to nowhere', status('302 Found'), { code: 'redirect', words: 'elsewhere' }],
  [
    'a redirect that carries the key away',
    status('307 Temporary', `location: https://evil.example/?k=${KEY}\r\n`),
    { code: 'redirect', words: '?k=•••' },
  ],
  [
    'a wait of a thousand years',
    status('429 Slow', 'retry-after: 31536000000\r\n'),
    { code: 'rateLimit', retryable: true },
  ],
  ['a wait that is no number', status('503 Busy', 'retry-after: NaN\r\n'), { retryable: true, words: '503' }],
  ['a refusal of 3 MB', status('500 Oops', '', 'x'.repeat(3_000_000)), { retryable: true, words: '500' }],
  [
    'a refusal with reasons without a bottom',
    status('422 No', '', `{"detail":${deep(20_000)}}`),
    { code: 'http', words: '422', retryable: false },
  ],
  [
    'an error without a bottom in the stream',
    events(`data: {"error":{"message":${deep(20_000)}}}\n\n`),
    { code: 'provider', words: 'failed while it answered', retryable: true },
  ],
  [
    'an error that is the value true',
    events(sse({ error: true })),
    { code: 'provider', words: 'does not say why' },
  ],
  [
    'an error event without data',
    events('event: error\ndata\n\n'),
    { code: 'provider', words: 'does not say why' },
  ],
  [
    'an error that is null beside an answer',
    events(sse({ ...chunk({ content: 'ok' }), error: null }), STOP),
    { text: 'ok', finish: 'stop' },
  ],
];

const shapes: Row[] = [
  [
    'two answers at once',
    events(choice(0, 'A'), choice(1, 'x'), choice(0, 'B'), choice(1, 'y'), STOP),
    { text: 'AB', finish: 'stop' },
  ],
  [
    'a second answer that ends first',
    events(
      choice(0, 'A'),
      sse({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] }),
      choice(0, 'B'),
      STOP,
    ),
    { text: 'AB', finish: 'stop' },
  ],
  [
    'choices that are none',
    events(sse({ choices: [null, 1, 'x'] }), sse({ choices: { 0: 1 } }), WHOLE),
    { text: 'ok', finish: 'stop' },
  ],
  [
    'data that is no object',
    events('data: null\n\ndata: 1\n\ndata: "x"\n\ndata: []\n\n', WHOLE),
    { text: 'ok', finish: 'stop' },
  ],
  ['a text that is a number', events(says(5), WHOLE), { text: 'ok', finish: 'stop' }],
  [
    'a text without a bottom',
    events(`data: {"choices":[{"delta":{"content":${deep(50_000)}}}]}\n\n`, WHOLE),
    { text: 'ok', finish: 'stop' },
  ],
  [
    'keys of the prototype',
    events(
      'data: {"__proto__":{"choices":[]},"constructor":1,"choices":[{"delta":{"__proto__":{"content":"no"},"content":"ok"}}]}\n\n',
      STOP,
    ),
    { text: 'ok', finish: 'stop' },
  ],
  [
    'a finish that is an object',
    events(says('ok'), sse({ choices: [{ delta: {}, finish_reason: { stop: 1 } }] })),
    { text: 'ok', code: 'cutStream' },
  ],
  [
    'usage that cannot be',
    events(WHOLE.replace(DONE, ''), 'data: {"usage":{"prompt_tokens":1e400,"completion_tokens":-3}}\n\n'),
    { text: 'ok', finish: 'stop', usage: undefined },
  ],
];

const toolCalls: Row[] = [
  [
    'two calls with one id',
    events(
      call(0, { id: 'a', function: { name: 'one', arguments: '{}' } }),
      call(1, { id: 'a', function: { name: 'two', arguments: '{}' } }),
      CALLED,
    ),
    {
      calls: [
        { id: 'a', name: 'one', arguments: '{}' },
        { id: 'a', name: 'two', arguments: '{}' },
      ],
      finish: 'tool_calls',
    },
  ],
  [
    'a call whose arguments are cut, and an end',
    events(
      call(0, { id: 'a', function: { name: 'one', arguments: '{"path":"a' } }),
      sse(chunk({}, 'length')),
      DONE,
    ),
    { calls: [{ id: 'a', name: 'one', arguments: '{"path":"a' }], finish: 'length' },
  ],
  [
    'a call in halves around an error',
    events(
      call(0, { id: 'a', function: { name: 'one', arguments: '{"a":' } }),
      sse({ error: { message: 'down' } }),
      call(0, { function: { arguments: '1}' } }),
      CALLED,
    ),
    { calls: [{ id: 'a', name: 'one', arguments: '{"a":' }], code: 'provider' },
  ],
  [
    'calls with odd places',
    events(
      call(-1, { id: 'a', function: { name: 'one', arguments: '{}' } }),
      call(1e9, { id: 'b', function: { name: 'two', arguments: '{}' } }),
      call('0', { id: 'c', function: { name: 'three', arguments: '{}' } }),
      CALLED,
    ),
    {
      calls: [
        { id: 'a', name: 'one', arguments: '{}' },
        { id: 'b', name: 'two', arguments: '{}' },
        { id: 'c', name: 'three', arguments: '{}' },
      ],
      finish: 'tool_calls',
    },
  ],
  [
    'arguments without a name',
    events(call(0, { function: { arguments: '{"a":1}' } }), CALLED),
    { calls: [{ id: '', name: '', arguments: '{"a":1}' }], finish: 'tool_calls' },
  ],
  [
    'calls that are no objects',
    events(sse(chunk({ tool_calls: [null, 5, 'x', []] })), sse(chunk({ tool_calls: { 0: 1 } })), WHOLE),
    { text: 'ok', calls: [], finish: 'stop' },
  ],
  [
    'the call of a second answer',
    events(
      says('ok'),
      sse({
        choices: [
          {
            index: 1,
            delta: { tool_calls: [{ index: 0, id: 'x', function: { name: 'run', arguments: '{}' } }] },
          },
        ],
      }),
      STOP,
    ),
    { text: 'ok', calls: [], finish: 'stop' },
  ],
];

const silences: Row[] = [
  [
    'not a word',
    { pieces: [], then: 'hang' },
    { code: 'timeout', words: 'did not begin' },
    { firstByteMs: 60 },
  ],
  [
    'half of a head',
    { pieces: ['HTTP/1.1 200 OK\r\nconte'], then: 'hang' },
    { code: 'timeout', words: 'did not begin' },
    { firstByteMs: 60 },
  ],
  ['a head alone', { ...events(), then: 'hang' }, { code: 'timeout' }, { firstByteMs: 60, idleMs: 60 }],
  [
    'half of an event',
    { ...events(says('ok'), 'data: {"cho'), then: 'hang' },
    { text: 'ok', code: 'timeout', words: 'fell silent' },
    { idleMs: 60 },
  ],
  ['a reset before the head', { pieces: [], then: 'reset' }, { code: 'network', retryable: true }],
  [
    'a reset within an event',
    { ...events(says('ok'), 'data: {"cho'), then: 'reset' },
    { text: 'ok', retryable: true },
  ],
  ['a reset behind the end', { ...events(WHOLE), then: 'reset' }, { text: 'ok', finish: 'stop' }],
];

test.each<Row>([
  ...bytesOfStreams,
  ...compressed,
  ...lies,
  ...refusals,
  ...shapes,
  ...toolCalls,
  ...silences,
])('an endpoint that sends %s is understood or refused in words', async (_, answer, outcome, limits) => {
  await using server = await RawServer.start(answer);
  const url = parseEndpointUrl(server.url);
  if (typeof url === 'string') throw new Error(url);
  const endpoint = { name: 'here', url, ...(limits && { limits }) };
  const model = new OpenAiModel({ endpoint, model: 'm', apiKey: async () => KEY });
  const { text, calls, finish, error, usage } = await hear(model);
  const { words, ...rest } = outcome;
  expect({ text, calls, finish, usage, code: error?.code, retryable: error?.retryable }).toMatchObject({
    text: '',
    ...rest,
  });
  // An answer ends in one way, and its failure is in plain words without the key.
  expect([finish, error].filter((end) => end !== undefined)).toHaveLength(1);
  expect(error?.message ?? words ?? '').toContain(words ?? '');
  expect(error?.message ?? '').not.toMatch(/undefined|call stack|NaN|sk-this/);
  expect(server.requests).toBe(1);
});

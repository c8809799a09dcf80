import Anthropic from '@anthropic-ai/sdk';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { environmentFor, upstreamsOf } from '../../../src/capture/proxy/upstreams.js';
import { textOf } from '../../../src/core/message.js';
import { repeatedPartsOf, withRepeatedParts } from '../../../src/core/repeatedParts.js';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying } from '../../support/wireAnswers.js';
import { said } from '../import/reading.js';

describe('the official clients', () => {
  test("OpenAI's, streaming, with tools: one conversation, resent histories once", async () => {
    const bench = await record([
      calling({ id: 'c1', name: 'read', args: { path: 'a' } }),
      saying('It says b.'),
    ]);
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'sk-secret', maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What does a say?' }];
    const ask = async () => {
      const stream = client.chat.completions.stream({
        model: 'm',
        messages,
        stream_options: { include_usage: true },
      });
      messages.push((await stream.finalChatCompletion()).choices[0]!.message);
    };
    await ask();
    messages.push({ role: 'tool', tool_call_id: 'c1', content: 'b' });
    await ask();
    expect(messages.at(-1)?.content).toBe('It says b.');
    const [conversation, ...others] = await bench.conversations();
    expect(others).toEqual([]);
    expect(conversation).toEqual([
      'user: What does a say?',
      'assistant: null read({"path":"a"})',
      'tool c1: b',
      'assistant: It says b.',
    ]);
    expect(await bench.recorded()).not.toContain('sk-secret');
    expect(bench.server.violations).toEqual([]);
  });

  test("OpenAI's, several at once: each its own conversation, equal ones, too", async () => {
    const bench = await record((request) => saying(`answer to ${textOf(request.messages[0]?.content)}`));
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k' });
    const ask = (content: string) =>
      client.chat.completions
        .create({ model: 'm', messages: [{ role: 'user', content }], stream: true })
        .then(drained);
    await Promise.all(['one', 'two', 'two', 'three'].map(ask));
    expect((await bench.conversations()).map((lines) => lines.join(' | ')).sort()).toEqual([
      'user: one | assistant: answer to one',
      'user: three | assistant: answer to three',
      'user: two | assistant: answer to two',
      'user: two | assistant: answer to two',
    ]);
  });

  test("OpenAI's, whose instructions change on the way: one conversation", async () => {
    const bench = await record((_, index) => saying(`answer ${index}`));
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k' });
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (const day of ['Monday', 'Monday', 'Tuesday', 'Tuesday']) {
      messages.push({ role: 'user', content: `question ${messages.length}` });
      const asked = [{ role: 'system' as const, content: `It is ${day}.` }, ...messages];
      const stream = client.chat.completions.stream({ model: 'm', messages: asked });
      messages.push((await stream.finalChatCompletion()).choices[0]!.message);
    }
    expect(await bench.conversations()).toEqual([
      [
        'system: It is Monday.',
        'user: question 0',
        'assistant: answer 0',
        'user: question 2',
        'assistant: answer 1',
        'system: It is Tuesday.',
        'user: question 4',
        'assistant: answer 2',
        'user: question 6',
        'assistant: answer 3',
      ],
    ]);
  });

  test("OpenAI's, over many turns: what is sent again is written once, and read as if it were written each time", async () => {
    const bench = await record((_, index) => saying(`answer ${index}`));
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k' });
    const description = 'Weighs flour, butter and sugar in grams. '.repeat(20);
    const tools = [{ type: 'function' as const, function: { name: 'weigh', description, parameters: {} } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'You bake.' }];
    for (let turn = 0; turn < 12; turn++) {
      messages.push({ role: 'user', content: `question ${turn}` });
      const stream = client.chat.completions.stream({ model: 'm', messages, tools });
      messages.push((await stream.finalChatCompletion()).choices[0]!.message);
    }
    const recorded = await bench.recorded();
    expect(recorded.split(description)).toHaveLength(2);
    expect(recorded.split('question 3')).toHaveLength(2);
    const [first = '', ...rest] = recorded.trimEnd().split('\n');
    const read = await importTranscript(recorded, 'a.exchanges.jsonl');
    expect(read.problems).toEqual([]);
    expect(read.conversations).toEqual(
      (await importTranscript(writtenOut(recorded), 'a.exchanges.jsonl')).conversations,
    );
    expect(said(read)).toHaveLength(25);
    const [path = ''] = await bench.paths();
    const all = async (options: Parameters<typeof importFile>[1]) =>
      (await importFile(path, options)).conversations.flatMap(({ records }) => records);
    expect(await all({ alone: true, heldBytes: 0 })).toEqual(await all({}));

    const broken = await importTranscript(rest.join('\n'), 'a.exchanges.jsonl');
    expect(broken.problems).toEqual([
      { severity: 'warning', message: expect.stringContaining('of 11 only what is new') as string },
    ]);
    expect(said(broken).join()).toContain('question 11');
    expect(first).toContain(description);
  });

  test("OpenAI's, which tries again what failed: one conversation", async () => {
    const bench = await record([{ status: 500, pieces: ['{"error":{"message":"busy"}}'] }, saying('Here.')]);
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 1 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    await drained(await client.chat.completions.create({ model: 'm', messages, stream: true }));
    expect(await bench.conversations()).toHaveLength(1);
    expect(await bench.recorded()).toContain('busy');
  });

  test("Anthropic's, streaming, with marks for its cache that move on", async () => {
    const upstream = await anthropicServer();
    const bench = await record([], { anthropic: upstream });
    const client = new Anthropic({
      baseURL: `${bench.address}/anthropic`,
      apiKey: 'sk-ant-secret',
      maxRetries: 0,
    });
    const first = { role: 'user' as const, content: 'hello' };
    const ask = (messages: Anthropic.MessageParam[]) =>
      client.messages.stream({ model: 'claude-x', max_tokens: 10, messages }).finalMessage();
    const { content } = await ask([first]);
    const marked = [{ type: 'text' as const, text: 'hello', cache_control: { type: 'ephemeral' as const } }];
    await ask([
      { role: 'user', content: marked },
      { role: 'assistant', content },
      { role: 'user', content: 'more' },
    ]);
    const text = (words: string) => JSON.stringify([{ type: 'text', text: words }]);
    expect(await bench.conversations()).toEqual([
      ['user: hello', `assistant: ${text('answer 1')}`, 'user: more', `assistant: ${text('answer 2')}`],
    ]);
    expect(await bench.recorded()).not.toContain('secret');
  });
});

describe('what goes past', () => {
  test('is neither changed nor held up: bytes, status and headers are those of the model', async () => {
    let release: () => void = () => undefined;
    const rest = new Promise<void>((resolve) => (release = resolve));
    const upstream = await serve(async (_, response) => {
      response.writeHead(207, {
        'content-type': 'text/event-stream',
        'x-request-id': 'r1',
        'set-cookie': 'a=b',
      });
      response.write('data: first\n\n');
      await rest;
      response.end('data: last\r\n\r\n');
    });
    const bench = await record([], { openai: upstream });
    const seen: string[] = [];
    const answer = await open(`${bench.address}/openai/chat/completions?x=1`, '{"model":"m"}', (text) => {
      seen.push(text);
      // Only after the first piece has come through, the rest is sent.
      release();
    });
    expect(seen).toEqual(['data: first\n\n', 'data: last\r\n\r\n']);
    expect(answer.statusCode).toBe(207);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'r1', 'set-cookie': ['a=b'] });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is passed on as %s and recorded as text', async (encoding, pack) => {
    const body = JSON.stringify({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'packed' } }],
    });
    const upstream = await serve((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
        .end(pack(body));
      return Promise.resolve();
    });
    const bench = await record([], { openai: upstream });
    const pieces: string[] = [];
    const asked = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
    const { headers } = await open(`${bench.address}/openai/chat/completions`, asked, (text) =>
      pieces.push(text),
    );
    expect(headers['content-encoding']).toBe(encoding);
    expect(await bench.conversations()).toEqual([['user: hello', 'assistant: packed']]);
  });

  test('goes to the address that is configured, with its key, and nowhere else', async () => {
    const seen: string[] = [];
    const upstream = await serve((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      response.end('{}');
      return Promise.resolve();
    });
    const bench = await record([], { openai: `${upstream}/base/v1` });
    await open(`${bench.address}/openai/models?limit=2`, undefined, () => undefined, {
      authorization: 'Bearer k',
    });
    expect(seen).toEqual(['GET /base/v1/models?limit=2 Bearer k']);
    for (const path of ['/openai/../../admin', '/openai/%2e%2e/x', '/evil.example/v1', '/', '/openaix/v1'])
      expect([400, 404], path).toContain((await raw(bench.address, path)).statusCode);
    expect(seen).toHaveLength(1);
  });

  test.each([
    [{ host: 'evil.example' }],
    [{ origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('is not what a page of the web sends: %j', async (headers) => {
    const bench = await record([]);
    const answer = await open(`${bench.address}/openai/chat/completions`, '{}', () => undefined, headers);
    expect(answer.statusCode).toBe(403);
    expect(bench.server.requests).toEqual([]);
  });

  test('a model that cannot be reached is told to the program, and recorded', async () => {
    const bench = await record([], { openai: 'http://127.0.0.1:9/v1' });
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toThrow(
      /502.*cannot be asked/s,
    );
    expect(await bench.recorded()).toContain('127.0.0.1:9 cannot be asked');
  });

  test('an answer that breaks off breaks off for the program, and is recorded as far as it came', async () => {
    const bench = await record([{ ...saying('half'), then: 'cut' }]);
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    await drained(stream).catch(() => undefined);
    expect(await bench.recorded()).toContain('The answer ended in the middle.');
  });

  test('a request stands in its recording while its answer has not begun', async () => {
    let release: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (release = resolve));
    const upstream = await serve(async (_, response) => {
      await answered;
      const message = { role: 'assistant', content: 'At last.' };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ object: 'chat.completion', model: 'm', choices: [{ index: 0, message }] }),
      );
    });
    const bench = await record([], { openai: upstream });
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 0 });
    const asking = client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Are you there?' }],
    });
    await expect.poll(() => bench.soFar()).toEqual([['user: Are you there?']]);
    release();
    await asking;
    expect(await bench.conversations()).toEqual([['user: Are you there?', 'assistant: At last.']]);
    const [path = ''] = await bench.paths();
    expect((await importFile(path)).problems).toEqual([]);
  });

  test('keys for servers that the model is to ask are passed on and not recorded, which is said', async () => {
    let asked = '';
    const upstream = await serve(async (request, response) => {
      asked = await bodyOf(request);
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: {"type":"response.created","response":${asked}}\n\n`);
    });
    const bench = await record([], { openai: upstream });
    const tool = { type: 'mcp', server_label: 'x', authorization: 'SECRET', headers: { 'X-A': 'SECRET' } };
    const body = JSON.stringify({ model: 'm', tools: [tool], input: 'hello' });
    const seen: string[] = [];
    await open(`${bench.address}/openai/responses?key=SECRET`, body, (piece) => seen.push(piece));
    expect(asked).toBe(body);
    expect(seen.join('')).toContain(body);
    const recorded = await bench.recorded();
    expect(recorded).not.toContain('SECRET');
    expect(recorded).toContain('\\"server_label\\":\\"x\\"');
    expect(recorded).toContain('"leftOut":"request: 2 keys were not kept."');
  });

  test('a program that does not wait ends the request to the model, too', async () => {
    const bench = await record([{ ...saying('slow'), then: 'hang' }]);
    const abort = new AbortController();
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const stream = await client.chat.completions.create(
      { model: 'm', messages, stream: true },
      { signal: abort.signal },
    );
    await stream[Symbol.asyncIterator]().next();
    abort.abort();
    await expect.poll(() => bench.server.abandoned).toBe(1);
    expect(await bench.recorded()).toContain('did not wait for the whole answer');
  });

  test('200 streams at once', async () => {
    const bench = await record((request) => saying(`to ${textOf(request.messages[0]?.content)}`));
    const client = new OpenAI({ baseURL: `${bench.address}/openai`, apiKey: 'k', maxRetries: 0 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const messages = [{ role: 'user' as const, content: `question ${at}` }];
        return drained(await client.chat.completions.create({ model: 'm', messages, stream: true }));
      }),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, at) => `to question ${at}`));
    expect(await bench.paths()).toHaveLength(200);
  });
});

/** A proxy in front of a strict server, or of other addresses, and what it recorded. */
async function record(
  answers: Parameters<typeof StrictServer.start>[0],
  others: Readonly<{ openai?: string; anthropic?: string }> = {},
) {
  // The client sends the refusal back that an answer may hold.
  const server = await StrictServer.start(answers, ['refusal', 'parsed']);
  onTestFinished(() => server.close());
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const proxy = await RecordingProxy.listen({
    port: 0,
    recorder: new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined }),
    upstreams: upstreamsOf({}, { openai: server.url, anthropic: server.url, ...others }),
    onProblem: () => undefined,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= proxy.close());
  onTestFinished(close);
  const paths = async () => {
    await close();
    return (await readdir(folder)).map((name) => join(folder, name));
  };
  expect(environmentFor(proxy.address)).toEqual({
    OPENAI_BASE_URL: `${proxy.address}/openai`,
    ANTHROPIC_BASE_URL: `${proxy.address}/anthropic`,
    OLLAMA_HOST: `${proxy.address}/ollama`,
  });
  return {
    server,
    address: proxy.address,
    paths,
    /** Ends the proxy; what each recording says when it is imported. */
    async conversations(): Promise<readonly (readonly string[])[]> {
      return Promise.all((await paths()).map(async (path) => said(await importFile(path))));
    },
    /** What each recording says now. */
    async soFar(): Promise<readonly (readonly string[])[]> {
      const names = await readdir(folder);
      return Promise.all(names.map(async (name) => said(await importFile(join(folder, name)))));
    },
    /** Ends the proxy; everything that it wrote. */
    async recorded(): Promise<string> {
      return (await Promise.all((await paths()).map((path) => readFile(path, 'utf8')))).join('');
    },
  };
}

/** A recording in which each request is written whole. */
function writtenOut(recording: string): string {
  const requests = new Map<unknown, Readonly<Record<string, unknown>>>();
  const lines = recording
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines
    .map(({ repeats, ...line }) => {
      const parts = repeatedPartsOf(repeats);
      const before = requests.get(parts?.exchange);
      const asked = line.request as Readonly<Record<string, unknown>> | undefined;
      const request = parts && before && asked ? withRepeatedParts(asked, parts, before) : asked;
      if (request) requests.set(line.exchange, request);
      return JSON.stringify(request ? { ...line, request } : line);
    })
    .join('\n');
}

async function drained(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  return text;
}

/** A server of anything, which ends with the test. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An API of Anthropic's messages that numbers its answers. */
function anthropicServer(): Promise<string> {
  let answers = 0;
  return serve((_, response) => {
    answers += 1;
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const usage = { input_tokens: 5, output_tokens: 1 };
    const message = {
      id: `m${answers}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      usage,
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
    );
    response.write(event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }));
    response.write(
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `answer ${answers}` } }),
    );
    response.write(event('content_block_stop', { index: 0 }));
    response.write(
      event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    );
    response.end(event('message_stop', {}));
    return Promise.resolve();
  });
}

/** Sends a request and reads its answer piece by piece. */
function open(
  url: string,
  body: string | undefined,
  onText: (text: string) => void,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const about = { 'content-type': 'application/json', 'accept-encoding': 'gzip, br', ...headers };
    send(url, { method, headers: about }, (response) => {
      response.on('data', (chunk: Buffer) => onText(chunk.toString('utf8')));
      response.on('end', () => resolve(response)).on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

/** Sends a path as it is, which an address would have put in order. */
function raw(address: string, path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    send({ hostname, port, path, method: 'POST' }, (response) => {
      response.resume().on('end', () => resolve(response));
    })
      .on('error', reject)
      .end('{}');
  });
}

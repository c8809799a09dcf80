import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { said } from '../import/reading.js';
import { isObject } from '../../../src/core/message.js';
import { exported, receive, resourceOf, talk } from '../../support/receiverBench.js';

describe('what the official exporters send is a conversation', () => {
  test.each([
    ['protobuf', (url: string): SpanExporter => new ProtobufExporter({ url })],
    [
      'protobuf, gzip',
      (url: string): SpanExporter => new ProtobufExporter({ url, compression: CompressionAlgorithm.GZIP }),
    ],
    ['JSON', (url: string): SpanExporter => new JsonExporter({ url })],
  ])('%s', async (_, exporterOf) => {
    const bench = await receive();
    await exported(exporterOf(`${bench.address}/v1/traces`), talk());
    const [path] = await bench.recordings();
    const imported = await importFile(path!);
    expect(said(imported)).toEqual(['user: How is the weather?', 'assistant: Sunny.']);
    expect(imported.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(bench.receiver.counts).toMatchObject({ spans: 2, refused: 0, unknownFields: 0 });
  });

  test('the same in protobuf and in JSON', async () => {
    const [first, second] = [await receive(), await receive()];
    await exported(new ProtobufExporter({ url: `${first.address}/v1/traces` }), talk());
    await exported(new JsonExporter({ url: `${second.address}/v1/traces` }), talk());
    expect((await first.lines()).map(alike)).toEqual((await second.lines()).map(alike));
  });

  test('late, doubled, parents after children, in any order of their requests', async () => {
    const spans = talk();
    const [agent, chat] = spans;
    const orders = [
      [[agent!], [chat!]],
      [[chat!], [agent!]],
      [[chat!], [chat!], [agent!], [chat!]],
    ];
    for (const requests of orders) {
      const bench = await receive();
      const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
      for (const each of requests) await exported(exporter, each);
      const [path] = await bench.recordings();
      expect(said(await importFile(path!))).toEqual(['user: How is the weather?', 'assistant: Sunny.']);
    }
  });

  test('several services in one trace are one conversation, another trace another one', async () => {
    const bench = await receive();
    const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
    const [agent, chat] = talk();
    await exported(exporter, [agent!]);
    await exported(exporter, [{ ...chat!, resource: resourceOf('models') }]);
    await exported(exporter, talk('b'.repeat(32)));
    expect(await bench.recordings()).toHaveLength(2);
  });

  test('traces of one session are one conversation', async () => {
    const bench = await receive();
    const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
    for (const trace of ['a', 'b', 'c']) await exported(exporter, talk(trace.repeat(32), 'a talk'));
    expect(await bench.recordings()).toHaveLength(1);
  });

  test('turns of Copilot are one conversation, whose id of the conventions comes with the last span of each', async () => {
    const bench = await receive();
    const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
    for (const trace of ['a', 'b']) {
      const [agent, chat] = talk(trace.repeat(32)).map((span) => ({
        ...span,
        attributes: { ...span.attributes, 'copilot_chat.chat_session_id': 'a-chat' },
        resource: resourceOf('copilot-chat', { 'session.id': 'a window' }),
      }));
      const named = { ...agent!.attributes, 'gen_ai.conversation.id': 'a talk' };
      await exported(exporter, [chat!]);
      await exported(exporter, [{ ...agent!, attributes: named }]);
    }
    const recordings = await bench.recordings();
    expect(recordings).toHaveLength(1);
    const { conversations } = await importFile(recordings[0]!);
    expect(conversations.map(({ id }) => id)).toEqual(['a-chat']);
  });

  test('two conversations in one trace are two recordings, with what lies below each', async () => {
    const bench = await receive();
    const trace = 'c'.repeat(32);
    const span = (digit: string, parent: string, attributes: Readonly<Record<string, string>>) => ({
      traceId: trace,
      spanId: digit.repeat(16),
      parentSpanId: parent.repeat(16),
      name: 'chat',
      startTimeUnixNano: '1',
      attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
    });
    const asking = (content: string) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', content }]),
    });
    const traces = (...spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await bench.post(
      '/v1/traces',
      traces(span('1', '', { 'gen_ai.conversation.id': 'one' }), span('2', '1', asking('first'))),
    );
    await bench.post(
      '/v1/traces',
      traces(span('4', '3', asking('second')), span('3', '', { 'gen_ai.conversation.id': 'two' })),
    );
    const paths = await bench.recordings();
    const talks = await Promise.all(paths.map(async (path) => said(await importFile(path))));
    expect(talks.toSorted()).toEqual([['user: first'], ['user: second']]);
  });

  test('a log record that names its session belongs to it, whatever its trace is about', async () => {
    const bench = await receive();
    const attributesOf = (about: Readonly<Record<string, string>>) =>
      Object.entries(about).map(([key, value]) => ({ key, value: { stringValue: value } }));
    const record = (prompt: string) => ({
      traceId: 'd'.repeat(32),
      attributes: attributesOf({ 'event.name': 'codex.user_prompt', 'conversation.id': 'c1', prompt }),
    });
    const logs = (logRecord: object) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [logRecord] }] }] });
    const span = { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), name: 'thread_start' };
    await bench.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    await bench.post('/v1/logs', logs(record('one')));
    await bench.post('/v1/logs', logs({ ...record('two'), traceId: undefined }));
    const paths = await bench.recordings();
    expect(paths).toHaveLength(2);
    const talks = await Promise.all(paths.map(async (path) => said(await importFile(path))));
    expect(talks.filter(({ length }) => length > 0)).toEqual([['user: one', 'user: two']]);
  });

  test('log records beside their spans', async () => {
    const bench = await receive();
    await exported(new ProtobufExporter({ url: `${bench.address}/v1/traces` }), talk());
    const logs = new OTLPLogExporter({ url: `${bench.address}/v1/logs` });
    const record = {
      hrTime: [1_790_000_000, 0],
      hrTimeObserved: [1_790_000_000, 0],
      spanContext: talk()[1]!.spanContext(),
      body: { content: 'said in a log' },
      eventName: 'gen_ai.choice',
      attributes: {},
      droppedAttributesCount: 0,
      resource: resourceOf('weather'),
      instrumentationScope: { name: 'test' },
    };
    await new Promise((resolve) => logs.export([record as never], resolve));
    expect(await bench.recordings()).toHaveLength(1);
    expect((await bench.lines()).join()).toContain('said in a log');
    expect(bench.receiver.counts).toMatchObject({ spans: 2, logRecords: 1 });
  });
});

describe('the answers that the protocol prescribes', () => {
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'chat' };
  const batch = (...spans: readonly unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const json = { 'content-type': 'application/json' };

  test('an empty object where all was taken', async () => {
    const bench = await receive();
    expect(await bench.post('/v1/traces', batch(span))).toMatchObject({ status: 200, text: '{}' });
    expect(await bench.post('/v1/traces', {})).toMatchObject({ status: 200, text: '{}' });
  });

  test.each([
    ['a trace id of the wrong length', { ...span, traceId: 'abc' }, 'traceId is "abc"'],
    ['a trace id of zeros', { ...span, traceId: '0'.repeat(32) }, 'traceId is "000'],
    ['a span id in Base64', { ...span, spanId: 'q83vEjRWeJA=' }, 'spanId is'],
    ['no ids', { name: 'chat' }, 'traceId is absent'],
    ['a parent of the wrong length', { ...span, parentSpanId: 'ff' }, 'parentSpanId is "ff"'],
    ['a time before 1970', { ...span, startTimeUnixNano: '-5' }, 'startTimeUnixNano is "-5"'],
    ['a time beyond 64 bits', { ...span, endTimeUnixNano: '99999999999999999999' }, 'endTimeUnixNano is'],
    [
      'an attribute that nobody could read again',
      { ...span, attributes: attributeOf(600) },
      'deeper than 200',
    ],
    ['attributes as an object', { ...span, attributes: { a: 1 } }, 'attributes are {"a":1}'],
  ])('%s is refused alone, the others are taken', async (_, wrong, words) => {
    const bench = await receive();
    const { status, text } = await bench.post('/v1/traces', batch(wrong, span));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining(words) as unknown },
    });
    expect(bench.receiver.counts).toMatchObject({ spans: 1, refused: 1 });
  });

  test('whatever nests as deep as it may can be read again with its neighbours, whatever nests deeper is refused', async () => {
    for (const [at, isTaken] of [
      [63, true],
      [64, false],
    ] as const) {
      const bench = await receive();
      const spans = [{ ...span, spanId: 'b'.repeat(16), attributes: attributeOf(at) }, span];
      await bench.post('/v1/traces', batch(...spans));
      const [path] = await bench.recordings();
      const { problems } = await importFile(path!);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect([at, bench.receiver.counts.spans]).toEqual([at, isTaken ? 2 : 1]);
    }
  });

  test('of a resource or a scope that nests too deep every span is refused, the others are taken', async () => {
    const bench = await receive();
    const deepOne = { attributes: attributeOf(600) };
    const spans = [span];
    const resourceSpans = [
      { resource: deepOne, scopeSpans: [{ spans }] },
      { scopeSpans: [{ scope: deepOne, spans }, { spans }] },
    ];
    const { text } = await bench.post('/v1/traces', { resourceSpans });
    expect(JSON.parse(text)).toMatchObject({ partialSuccess: { rejectedSpans: '2' } });
    expect(bench.receiver.counts).toMatchObject({ spans: 1, refused: 2 });
  });

  test.each([
    ['another path', '/v1/spans', json, '{}', 404],
    ['another content type', '/v1/traces', { 'content-type': 'text/plain' }, '{}', 415],
    ['no content type', '/v1/traces', {}, '{}', 415],
    ['an encoding that nobody knows', '/v1/traces', { ...json, 'content-encoding': 'br' }, '{}', 415],
    ['what is no JSON', '/v1/traces', json, '{"resourceSpans":', 400],
    ['another JSON', '/v1/traces', json, '[1]', 400],
    ['spans that are no list', '/v1/traces', json, '{"resourceSpans":{}}', 400],
    ['what is no gzip', '/v1/traces', { ...json, 'content-encoding': 'gzip' }, 'plain', 400],
    ['JSON of 200,000 brackets', '/v1/traces', json, '['.repeat(200_000), 400],
    ['a request within 200,000 brackets', '/v1/traces', json, deep(200_000), 400],
    ['another host', '/v1/traces', { ...json, host: 'evil.example:4318' }, '{}', 403],
    ['a page of the web', '/v1/traces', { ...json, origin: 'https://evil.example' }, '{}', 403],
    ['a page of nowhere', '/v1/traces', { ...json, origin: 'null' }, '{}', 403],
  ])('%s', async (_, path, headers, body, status) => {
    const bench = await receive();
    const answer = await bench.sendTo(path, headers, body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ message: expect.stringMatching(/\w+ \w+/) as unknown });
    expect(await bench.recordings()).toEqual([]);
    expect(await bench.post('/v1/traces', batch(span))).toMatchObject({ status: 200 });
  });

  test.each([
    ['cut', Buffer.from([0x0a, 0x20, 0x12])],
    ['a length beyond its end', Buffer.from([0x0a, 0x03, 0x12, 0x7f, 0x00])],
    ['a field of another type', Buffer.from([0x08, 0x01])],
    ['a varint without an end', Buffer.alloc(40, 0xff)],
    ['2,000 messages deep', nested(2_000)],
  ])('protobuf that is %s', async (_, body) => {
    const bench = await receive();
    const answer = await bench.sendTo('/v1/traces', { 'content-type': 'application/x-protobuf' }, body);
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/x-protobuf' } });
    expect(answer.text).toContain("no request of OTLP's traces");
  });

  test('metrics are taken and said to be dropped', async () => {
    const bench = await receive();
    const { status, text } = await bench.post('/v1/metrics', { resourceMetrics: [] });
    expect(status).toBe(200);
    expect(text).toContain('Metrics are not recorded');
    expect(bench.receiver.counts.droppedMetrics).toBe(1);
  });

  test('more than 32 MiB, said before, sent in pieces or unpacked', async () => {
    const bench = await receive();
    const bytes = 33 * 2 ** 20;
    const gzip = { ...json, 'content-encoding': 'gzip' };
    for (const [headers, body] of [
      [{ ...json, 'content-length': String(bytes) }, ''],
      [{ ...json, 'transfer-encoding': 'chunked' }, Buffer.alloc(bytes, 0x20)],
      [gzip, gzipSync(Buffer.alloc(300 * 2 ** 20, 0x20))],
    ] as const)
      expect((await bench.sendTo('/v1/traces', headers, body)).status).toBe(413);
    expect(await bench.post('/v1/traces', batch(span))).toMatchObject({ status: 200 });
  });

  test('a recording that is full takes no more, the others do', async () => {
    const bench = await receive({ maxRecording: 1_500 });
    const long = { ...span, name: 'n'.repeat(900) };
    expect((await bench.post('/v1/traces', batch(long))).text).toBe('{}');
    expect((await bench.post('/v1/traces', batch(long))).text).toContain('is full: 1 were not added');
    expect((await bench.post('/v1/traces', batch({ ...long, traceId: 'c'.repeat(32) }))).text).toBe('{}');
  });

  test('a disk that cannot be written to is told, to be tried again', async () => {
    const bench = await receive();
    await rm(bench.folder, { recursive: true });
    await writeFile(bench.folder, 'a file in its place');
    const { status, headers } = await bench.post('/v1/traces', batch(span));
    expect([status, headers['retry-after']]).toEqual([503, '10']);
  });

  test('a half line that a crash left is ended before the next', async () => {
    const bench = await receive();
    await bench.post('/v1/traces', batch(span));
    const [path] = await bench.recordings();
    await writeFile(path!, '{"resourceSpans":[{"sco', { flag: 'a' });
    await bench.post('/v1/traces', batch(span));
    const lines = await bench.lines();
    expect(lines.map((line) => line.length > 40)).toEqual([true, false, true]);
  });

  test('senders who end in the middle or say nothing harm nobody', async () => {
    const bench = await receive();
    const { port } = new URL(bench.address);
    const sockets = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    for (const socket of sockets)
      socket.on('error', () => undefined).write('POST /v1/traces HTTP/1.1\r\nhost: loc');
    for (const socket of sockets.slice(0, 20)) socket.destroy();
    expect(await bench.post('/v1/traces', batch(span))).toMatchObject({ status: 200 });
  });

  test('10,000 spans in requests at the same time are all there, once', async () => {
    const bench = await receive();
    const requests = Array.from({ length: 100 }, (_, request) =>
      batch(
        ...Array.from({ length: 100 }, (__, at) => ({
          ...span,
          spanId: (request * 100 + at + 1).toString(16).padStart(16, '0'),
        })),
      ),
    );
    const answers = await Promise.all(requests.map((each) => bench.post('/v1/traces', each)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = (await bench.lines()).flatMap((line) => line.match(/"spanId":"[\da-f]{16}"/g) ?? []);
    expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000]);
  });

  test('a port that is taken is told in words', async () => {
    const bench = await receive();
    const { port } = new URL(bench.address);
    await expect(receive({ port: Number(port) })).rejects.toThrow(
      `Port ${port} is taken by another program.`,
    );
  });
});

/** An attribute that is a list in a list, and so on. */
function attributeOf(depth: number): readonly object[] {
  let value: object = { stringValue: 'x' };
  for (let left = depth; left > 0; left--) value = { arrayValue: { values: [value] } };
  return [{ key: 'deep', value }];
}

/** A line as both encodings can tell it: integers as texts, nothing that is empty, names in their order. */
function alike(line: string): unknown {
  return JSON.parse(line, (name, value: unknown) => {
    if (name === 'intValue') return String(value);
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  });
}

function deep(brackets: number): string {
  return `{"resourceSpans":${'['.repeat(brackets)}${']'.repeat(brackets)}}`;
}

/** A request of protobuf whose attribute holds lists within lists. */
function nested(depth: number): Buffer {
  let inner = Buffer.alloc(0);
  const wrapped = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);
  for (let at = 0; at < depth; at += 1) inner = wrapped(5, wrapped(1, inner));
  const attribute = wrapped(9, wrapped(2, inner));
  return wrapped(1, wrapped(2, wrapped(2, attribute)));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

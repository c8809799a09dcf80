import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OtlpReceiver } from '../../../../src/capture/otlp/otlpReceiver.js';
import type { UntypedMessage } from '../../../../src/query/numbers/transcriptItem.js';
import type { OtlpSpan } from '../../../../src/export/otlp/otlpSpan.js';
import { SpanMapper } from '../../../../src/export/otlp/spanMapper.js';
import { importFile } from '../../../../src/import/importFile.js';
import { collectorAddress } from '../../../../src/export/collector/collectorAddress.js';
import { ProtobufTraceSerializer } from '../../../../src/export/collector/otlpPackage.js';
import { MAX_SPANS, SpanBatches } from '../../../../src/export/collector/spanBatches.js';
import { SpanQueue } from '../../../../src/export/collector/spanQueue.js';
import { sendQueued, type SendOptions } from '../../../../src/export/collector/spanSender.js';
import { contextStory } from '../../../support/contextStory.js';
import { hostileStory } from '../../../support/hostileStory.js';
import { spanProblems } from '../../../support/otlpRules.js';
import { selfSigned } from '../../../support/selfSigned.js';
import { answers, rejects, StrictCollector, type Answering } from '../../../support/strictCollector.js';
import { teamStory } from '../../../support/teamStory.js';

const ORIGIN = { resource: { 'service.name': 'agent-logbook' }, version: '1.2.3' };

function spansOf(records: readonly unknown[], conversation = 'talk'): readonly OtlpSpan[] {
  const mapper = new SpanMapper({ conversation });
  const items = records as readonly UntypedMessage[];
  return [...items.flatMap((record) => mapper.add(record)), ...mapper.end()];
}

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spans-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A queue with the spans of some records, and a collector that is up. */
async function bench(records: readonly unknown[] = teamStory().records, maxBytes?: number) {
  const collector = new StrictCollector();
  await collector.up();
  onTestFinished(() => collector.down());
  const queue = new SpanQueue(join(await folderOf(), 'queue'), maxBytes);
  const spans = spansOf(records);
  await add(queue, spans);
  const send = (options: Partial<SendOptions> = {}, address = collector.url) =>
    sendQueued(
      queue,
      { url: collectorAddress(address, false), headers: { authorization: 'Basic x' } },
      ProtobufTraceSerializer,
      { signal: new AbortController().signal, ...options },
    );
  return { collector, queue, spans, send };
}

async function add(queue: SpanQueue, spans: readonly OtlpSpan[]): Promise<string[]> {
  const dropped: string[] = [];
  const batches = new SpanBatches((name) => dropped.push(name));
  for (const span of spans) {
    const full = batches.add(span);
    if (full) await queue.add({ origin: ORIGIN, spans: full });
  }
  const last = batches.take();
  if (last) await queue.add({ origin: ORIGIN, spans: last });
  return dropped;
}

describe('what is sent', () => {
  test.each([
    ['a team', teamStory],
    ['a long conversation', contextStory],
    ['hostile texts', hostileStory],
  ])('is taken whole by a collector that knows every rule: %s', async (_, story) => {
    const { collector, queue, spans, send } = await bench(story().records);
    expect(await send()).toEqual({ taken: spans.length, lost: 0, why: '' });
    expect([...collector.spans.keys()].sort()).toEqual(spans.map(({ spanId }) => spanId).sort());
    expect(spanProblems([...collector.spans.values()])).toEqual([]);
    expect(collector.headers[0]).toMatchObject({ authorization: 'Basic x' });
    expect(await queue.list()).toEqual([]);
  });

  test.each([
    ['a team', teamStory],
    ['a long conversation', contextStory],
    ['hostile texts', hostileStory],
  ])('comes back from our own receiver as the same records: %s', async (_, story) => {
    const { records } = story();
    const { spans, send } = await bench(records);
    const folder = await folderOf();
    const receiver = await OtlpReceiver.listen({
      port: 0,
      folder,
      onGrown: () => undefined,
      onProblem: (words) => expect.unreachable(words),
    });
    onTestFinished(() => receiver.close());
    expect(await send({}, receiver.address)).toMatchObject({ taken: spans.length, lost: 0 });
    const [name] = await readdir(folder);
    const { conversations } = await importFile(join(folder, name!));
    const told = (record: unknown) => {
      const kept = Object.entries(record as UntypedMessage).filter(
        ([key]) => !['seq', 'id', 'conversation'].includes(key),
      );
      return JSON.parse(JSON.stringify({ time: 0, ...Object.fromEntries(kept) })) as unknown;
    };
    expect(conversations.flatMap((each) => each.records).map(told)).toEqual(records.map(told));
  });

  test('twice is the same spans', async () => {
    const { collector, queue, spans, send } = await bench();
    await send();
    const first = new Map(collector.spans);
    await add(queue, spans);
    await send();
    expect(collector.spans).toEqual(first);
  });

  test('is divided into requests that every receiver takes', async () => {
    const [span] = spansOf(teamStory().records);
    const many = Array.from({ length: 1_300 }, (_, index) => ({
      ...span!,
      spanId: index.toString(16).padStart(16, '1'),
    }));
    const { collector, queue, send } = await bench([]);
    await add(queue, many);
    expect(await send()).toMatchObject({ taken: 1_300 });
    expect(collector.batches).toEqual([MAX_SPANS, MAX_SPANS, 1_300 - 2 * MAX_SPANS]);
  });

  test('and a span that alone is too large goes out without its largest texts, which is told', async () => {
    const huge = 'x'.repeat(3_000_000);
    const records = ['user', 'assistant'].map((role, index) => ({
      seq: index + 1,
      id: `m${index}`,
      run: 'r',
      call: 'k',
      agent: 'A',
      depth: 0,
      time: 5,
      type: 'message',
      message: { role, content: huge },
    }));
    const { collector, queue, send } = await bench([]);
    expect(await add(queue, spansOf(records))).not.toEqual([]);
    expect(await send()).toMatchObject({ lost: 0 });
    expect(collector.spans.size).toBe(spansOf(records).length);
  });
});

describe('what keeps it from being taken', () => {
  const PROBLEMS: readonly (readonly [string, Answering, 'later' | 'setup', RegExp])[] = [
    ['too many requests', answers(429, { 'retry-after': '7' }), 'later', /come again later \(429/],
    ['away for a while', answers(503), 'later', /come again later \(503/],
    ['a failure of its own', answers(500, {}, 'boom'), 'later', /failed \(500: boom/],
    ['wrong credentials', answers(401), 'setup', /Set OpenTelemetry Headers/],
    ['a wrong path', answers(404), 'setup', /openTelemetry\.endpoint/],
    ['no protobuf', answers(415), 'setup', /no protobuf/],
    [
      'a web page that says all is well',
      answers(200, { 'content-type': 'text/html' }, '<html>'),
      'setup',
      /web page/,
    ],
    [
      'a web page that says it is not',
      answers(503, { 'content-type': 'text/html' }, '<html>'),
      'later',
      /503/,
    ],
    ['another address', answers(307, { location: 'https://elsewhere/' }), 'setup', /https:\/\/elsewhere/],
    ['a broken connection', (response) => response.destroy(), 'later', /cannot be reached/],
  ];
  test.each(PROBLEMS)('%s: it waits, and is taken afterwards', async (_, answering, kind, words) => {
    const { collector, queue, spans, send } = await bench();
    collector.next.push(answering);
    const { stopped, taken } = await send();
    expect(taken).toBe(0);
    expect(stopped).toMatchObject({ kind, words: expect.stringMatching(words) as string });
    expect((await queue.list()).reduce((sum, batch) => sum + batch.spans, 0)).toBe(spans.length);
    expect(await send()).toMatchObject({ taken: spans.length, lost: 0 });
    expect(collector.spans.size).toBe(spans.length);
  });

  test('how long it asks to wait is told, in seconds or as a date', async () => {
    const { collector, send } = await bench();
    const later = new Date(Date.now() + 100_000).toUTCString();
    collector.next.push(answers(429, { 'retry-after': '7' }), answers(503, { 'retry-after': later }));
    expect((await send()).stopped?.afterMs).toBe(7_000);
    const { stopped } = await send();
    expect(stopped?.afterMs).toBeGreaterThan(50_000);
    expect(stopped?.afterMs).toBeLessThanOrEqual(100_000);
  });

  test('an answer that does not come', async () => {
    const { collector, spans, send } = await bench();
    collector.next.push(() => undefined);
    expect((await send({ answerMs: 200 })).stopped).toMatchObject({
      kind: 'later',
      words: expect.stringMatching(/in time/) as string,
    });
    expect(await send()).toMatchObject({ taken: spans.length });
  });

  test('nobody who listens, for long', async () => {
    const { collector, queue, spans, send } = await bench();
    await collector.down();
    for (let round = 0; round < 5; round++) expect((await send()).stopped?.kind).toBe('later');
    const others = spans.map((span) => ({
      ...span,
      spanId: span.spanId.replace(/^./, 'f'),
      parentSpanId: undefined!,
    }));
    await add(queue, others);
    await collector.up();
    expect(await send()).toMatchObject({ taken: 2 * spans.length, lost: 0 });
  });

  test('a certificate that nobody knows', async () => {
    const { queue, spans } = await bench();
    const { certificate, key } = selfSigned();
    const server = createServer({ key, cert: certificate }, () => expect.unreachable());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/v1/traces`);
    const { signal } = new AbortController();
    const { stopped } = await sendQueued(queue, { url, headers: {} }, ProtobufTraceSerializer, { signal });
    expect(stopped).toMatchObject({
      kind: 'setup',
      words: expect.stringMatching(/certificate .* trusted/) as string,
    });
    expect((await queue.list())[0]?.spans).toBe(spans.length);
  });
});

describe('what is lost is counted', () => {
  test('spans that the collector rejects, with its words', async () => {
    const { collector, queue, spans, send } = await bench();
    collector.next.push(rejects(3, 'too old'));
    expect(await send()).toEqual({ taken: spans.length - 3, lost: 3, why: 'too old' });
    expect(await queue.list()).toEqual([]);
  });

  test('requests that it refuses', async () => {
    const { collector, spans, send } = await bench();
    collector.next.push(answers(400, {}, 'no such tenant'));
    expect(await send()).toMatchObject({
      taken: 0,
      lost: spans.length,
      why: expect.stringMatching(/no such tenant/) as string,
    });
  });

  test('what does not fit into the queue', async () => {
    const { queue } = await bench(teamStory().records, 100);
    expect(await queue.list()).toEqual([]);
    expect(await queue.add({ origin: ORIGIN, spans: spansOf(teamStory().records) })).toBeUndefined();
  });

  test('what the disk has damaged', async () => {
    const { queue, spans, send } = await bench();
    const [batch] = await queue.list();
    await writeFile(join(queue.folder, batch!.name), 'damaged');
    expect(await send()).toMatchObject({ taken: 0, lost: spans.length });
  });

  test('but nothing where a request is too large for the collector: it is divided until it fits', async () => {
    const { collector, spans, send } = await bench();
    collector.maxBytes = 12_000;
    const { taken, lost } = await send();
    expect(taken + lost).toBe(spans.length);
    expect(collector.batches.length).toBeGreaterThan(2);
    expect(taken).toBe(collector.spans.size);
    expect(taken).toBeGreaterThan(spans.length / 2);
  });
});

describe('whatever breaks off', () => {
  test('the rest is sent by whoever comes next, and nothing twice but as the same span', async () => {
    const { collector, queue, spans, send } = await bench();
    await add(queue, spansOf(contextStory().records, 'other'));
    const breaking = new AbortController();
    // Taken, and never answered: as if the process ended before it heard of it.
    collector.next.push((_, received) => {
      for (const span of received) collector.spans.set(span.spanId, span);
      breaking.abort(new Error('killed'));
    });
    await expect(send({ signal: breaking.signal })).rejects.toThrow('killed');
    const again = await send();
    expect(again.lost).toBe(0);
    expect(again.taken).toBeGreaterThan(spans.length);
    expect(collector.spans.size).toBe(again.taken);
    expect(await queue.list()).toEqual([]);
  });

  test('two processes at once send everything once', async () => {
    const { collector, spans, send } = await bench();
    const [first, second] = await Promise.all([send(), send()]);
    expect(first.taken + second.taken).toBe(spans.length);
    expect(collector.spans.size).toBe(spans.length);
    expect(collector.batches.reduce((sum, count) => sum + count, 0)).toBe(spans.length);
  });
});

import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RecordingFiles } from '../../../src/capture/servers/recordingFiles.js';
import { importFile } from '../../../src/import/importFile.js';
import { ProcessLock } from '../../../src/node/processLock.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { exported, receive, talk } from '../../support/receiverBench.js';
import { said } from '../import/reading.js';

const A = 'a'.repeat(32);
const B = 'b'.repeat(32);

/** What is asked and answered in a trace, in the order of traces. */
const asked = (...traces: readonly string[]) =>
  traces.flatMap((trace) => [`user: Question ${trace[0]}`, 'assistant: Sunny.']).sort();

/** The two spans of a trace: its agent, and the request that this made. */
function spansOf(trace: string, session?: string): readonly [agent: ReadableSpan, chat: ReadableSpan] {
  const [agent, chat] = talk(trace, session);
  const message = [{ role: 'user', parts: [{ type: 'text', content: `Question ${trace[0]}` }] }];
  const attributes = { ...chat!.attributes, 'gen_ai.input.messages': JSON.stringify(message) };
  return [agent!, { ...chat!, attributes }];
}

/** The request of a trace, which names no session, and the agent that asked it, which does, as the last one. */
function lateTalk(trace: string, session = 'a talk'): readonly [chat: ReadableSpan, agent: ReadableSpan] {
  return [spansOf(trace)[1], spansOf(trace, session)[0]];
}

/** A receiver that is ended and begun again in the same folder, by whatever its senders speak. */
async function receiving(exporterOf: (url: string) => SpanExporter = (url) => new ProtobufExporter({ url })) {
  const problems: string[] = [];
  let bench = await receive({ onProblem: (words) => problems.push(words) });
  const { folder } = bench;
  return {
    folder,
    problems,
    address: () => bench.address,
    recordings: () => bench.recordings(),
    send: (...spans: readonly ReadableSpan[]) => exported(exporterOf(`${bench.address}/v1/traces`), spans),
    restart: async () => {
      await bench.receiver.close();
      bench = await receive({ folder, onProblem: (words) => problems.push(words) });
    },
    conversations: async () => {
      const all = await Promise.all((await bench.recordings()).map((path) => importFile(path)));
      return all.flatMap(({ conversations }) => conversations.map(({ id }) => id));
    },
    said: async () => {
      const all = await Promise.all((await bench.recordings()).map((path) => importFile(path)));
      return all.flatMap((each) => said(each)).sort();
    },
    /** How often each span was recorded. */
    spans: async () => {
      const texts = await Promise.all((await bench.recordings()).map((path) => readFile(path, 'utf8')));
      return texts.join('').match(/"spanId":"[\da-f]{16}"/g)?.length;
    },
  };
}

describe('a trace that names its session late', () => {
  test.each([
    ['protobuf', (url: string): SpanExporter => new ProtobufExporter({ url })],
    ['JSON', (url: string): SpanExporter => new JsonExporter({ url })],
  ])('is where its session goes on, whoever asks next and after a restart: %s', async (_, exporterOf) => {
    const bench = await receiving(exporterOf);
    const [chat, agent] = lateTalk(A);
    await bench.send(chat);
    const [begun] = await bench.recordings();
    await bench.send(agent);
    await bench.send(...spansOf(B, 'a talk'));
    // A panel that was opened with the first span stays where it is.
    expect(await bench.recordings()).toEqual([begun]);
    await bench.restart();
    await bench.send(chat);
    await bench.send(...spansOf('c'.repeat(32), 'a talk'));
    expect(await bench.recordings()).toEqual([begun]);
    expect(await bench.conversations()).toEqual(['a-talk']);
    expect(await bench.said()).toEqual(asked(A, B, 'c'));
  });

  test('is taken by the recording that its session has already', async () => {
    const bench = await receiving();
    await bench.send(...spansOf(B, 'a talk'));
    const [known] = await bench.recordings();
    const [chat, agent] = lateTalk(A);
    await bench.send(chat);
    expect(await bench.recordings()).toHaveLength(2);
    await bench.send(agent);
    expect(await bench.recordings()).toEqual([known]);
    expect([await bench.said(), await bench.spans()]).toEqual([asked(A, B), 4]);
    await bench.restart();
    await bench.send(chat);
    expect([await bench.recordings(), await bench.conversations()]).toEqual([[known], ['a-talk']]);
    expect(bench.problems).toEqual([]);
  });

  test.each(['before', 'after'])('is told apart from none by a restart %s it does', async (when) => {
    const bench = await receiving();
    const [chat, agent] = lateTalk(A);
    await bench.send(...spansOf(B, 'a talk'));
    await bench.send(chat);
    if (when === 'before') await bench.restart();
    await bench.send(agent);
    if (when === 'after') await bench.restart();
    await bench.send(chat);
    expect([await bench.conversations(), await bench.said()]).toEqual([['a-talk'], asked(A, B)]);
    expect(await bench.recordings()).toHaveLength(1);
  });

  test('is one conversation, in whatever order its spans come, doubled or with restarts between them', async () => {
    const random = randomNumbers(19);
    for (let round = 0; round < 12; round++) {
      const bench = await receiving();
      const spans = [A, B, 'c'.repeat(32)].flatMap((trace) => lateTalk(trace));
      const sent = [...spans, spans[0]!, spans[1]!].sort(() => random() - 0.5);
      for (const span of sent) {
        await bench.send(span);
        if (random() < 0.3) await bench.restart();
      }
      expect(await bench.conversations(), `round ${round}`).toEqual(['a-talk']);
      expect(await bench.said()).toEqual(asked(A, B, 'c'));
      expect(await bench.recordings()).toHaveLength(1);
    }
  });

  test('is one conversation when several requests name it at once', async () => {
    const bench = await receiving();
    const traces = Array.from({ length: 10 }, (_, at) =>
      at.toString(16).repeat(32).replace(/^0+$/, 'f'.repeat(32)),
    );
    await Promise.all(traces.map((trace) => bench.send(lateTalk(trace)[0])));
    expect(await bench.recordings()).toHaveLength(10);
    await Promise.all(traces.map((trace) => bench.send(lateTalk(trace)[1])));
    expect([await bench.conversations(), await bench.spans()]).toEqual([['a-talk'], 20]);
    expect(await bench.recordings()).toHaveLength(1);
  });

  test('stays a recording of its own where that of its session has no room, which is told', async () => {
    const problems: string[] = [];
    const bench = await receive({ maxRecording: 4_000, onProblem: (words) => problems.push(words) });
    const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
    await exported(exporter, spansOf(B, 'a talk'));
    const [chat, agent] = lateTalk(A);
    await exported(exporter, [chat]);
    await exported(exporter, [agent]);
    expect(await bench.recordings()).toHaveLength(2);
    expect(problems.join()).toContain('has no room for trace');
    expect((await bench.lines()).join().match(/"spanId"/g)?.length).toBeGreaterThanOrEqual(3);
  });
});

test('a receiver that does not get its port touches no recording, which another one may be writing to', async () => {
  const bench = await receiving();
  await bench.send(...spansOf(B, 'a talk'));
  await bench.send(lateTalk(A)[0]);
  const before = await bench.recordings();
  // As it stands for a moment while the other one is about to put the one recording behind the other.
  await writeFile(
    join(bench.folder, 'sessions.index'),
    `${JSON.stringify({ trace: A, of: 'session a talk' })}\n`,
  );
  const { port } = new URL(bench.address());
  await expect(receive({ folder: bench.folder, port: Number(port) })).rejects.toThrow('is taken');
  expect(await bench.recordings()).toEqual(before);
  await bench.restart();
  expect(await bench.recordings()).toHaveLength(1);
});

test('what is refused names no session, whatever its trace is called', async () => {
  const problems: string[] = [];
  const bench = await receive({ onProblem: (words) => problems.push(words) });
  const attributes = [{ key: 'session.id', value: { stringValue: 'a talk' } }];
  const span = (traceId: string) => ({ traceId, spanId: '1'.repeat(16), name: 'chat', attributes });
  const spans = [span('x'.repeat(100_000)), span('__proto__'), span('../..'), span(A)];
  await bench.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const index = await readFile(join(bench.folder, 'sessions.index'), 'utf8');
  expect(index.trim().split('\n')).toEqual([JSON.stringify({ trace: A, of: 'session a talk' })]);
  expect(problems).toHaveLength(1);
});

test('of two receivers in one folder, one at a time takes what belongs to sessions, and once', async () => {
  const bench = await receiving();
  await bench.send(...spansOf(B, 'a talk'));
  await bench.send(lateTalk(A)[0]);
  const add = Object.getOwnPropertyDescriptor(RecordingFiles.prototype, 'add')
    ?.value as RecordingFiles['add'];
  let goOn: (() => void) | undefined;
  // The first receiver has read what it takes, and has not written it yet.
  const adding = vi.spyOn(RecordingFiles.prototype, 'add').mockImplementation(async function (
    this: RecordingFiles,
    key,
    lines,
  ) {
    if (
      !goOn &&
      lines.map((line) => JSON.stringify(line)).some((line) => line.includes(A) && !line.includes('a talk'))
    )
      await new Promise<void>((resolve) => (goOn = resolve));
    return add.call(this, key, lines);
  });
  onTestFinished(() => adding.mockRestore());
  const sent = bench.send(lateTalk(A)[1]);
  await vi.waitUntil(() => goOn !== undefined);
  const waits = vi.spyOn(ProcessLock, 'acquire');
  onTestFinished(() => waits.mockRestore());
  const problems: string[] = [];
  let hasBegun = false;
  const other = receive({ folder: bench.folder, onProblem: (words) => problems.push(words) }).then(() => {
    hasBegun = true;
  });
  await vi.waitUntil(() => hasBegun || waits.mock.calls.length > 1);
  goOn?.();
  await Promise.all([sent, other]);
  expect(await bench.recordings()).toHaveLength(1);
  expect([await bench.spans(), await bench.said()]).toEqual([4, asked(A, B)]);
  expect([...bench.problems, ...problems]).toEqual([]);
});

test('a receiver that ends while it takes a recording ends behind that, so that the next one takes nothing twice', async () => {
  const bench = await receive();
  const exporter = new ProtobufExporter({ url: `${bench.address}/v1/traces` });
  await exported(exporter, spansOf(B, 'a talk'));
  await exported(exporter, [lateTalk(A)[0]]);
  const order: string[] = [];
  let goOn: () => void = () => undefined;
  const take = vi.spyOn(RecordingFiles.prototype, 'take').mockImplementation(async () => {
    await new Promise<void>((resolve) => (goOn = resolve));
    order.push('taken');
    return true;
  });
  onTestFinished(() => take.mockRestore());
  const attributes = [{ key: 'session.id', value: { stringValue: 'a talk' } }];
  const spans = [{ traceId: A, spanId: '3'.repeat(16), name: 'chat', attributes }];
  const sent = bench.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  await vi.waitUntil(() => take.mock.calls.length > 0);
  const ended = bench.receiver.close().then(() => order.push('ended'));
  await expect(sent).rejects.toThrow();
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  goOn();
  await ended;
  expect(order).toEqual(['taken', 'ended']);
});

describe('taking a recording is broken off', () => {
  /** Two recordings of one session, as they are before the one is taken by the other, and the index that says so. */
  async function before() {
    const bench = await receiving();
    await bench.send(...spansOf(B, 'a talk'));
    const [known] = await bench.recordings();
    const [chat, agent] = lateTalk(A);
    await bench.send(chat);
    const own = (await bench.recordings()).find((path) => path !== known)!;
    const contents = { own: await readFile(own), known: await readFile(known!) };
    await bench.send(agent);
    const taken = await readFile(known!);
    return {
      bench,
      known: known!,
      own,
      contents,
      taken,
      index: await readFile(join(bench.folder, 'sessions.index')),
    };
  }

  test('wherever it was, it is ended by the next start, and nothing is lost or doubled', async () => {
    const { bench, known, own, contents, taken, index } = await before();
    const from = contents.known.length;
    const copied = contents.own.length;
    const cuts = [0, 1, Math.floor(copied / 2), copied - 1, copied];
    for (const cut of cuts) {
      await writeFile(own, contents.own);
      await writeFile(known, Buffer.concat([contents.known, taken.subarray(from, from + cut)]));
      await bench.restart();
      expect(
        (await bench.recordings()).map((path) => basename(path)),
        `cut at ${cut}`,
      ).toEqual([basename(known)]);
      const lines = (await readFile(known, 'utf8')).split('\n');
      const whole = contents.own.toString('utf8').trim();
      expect(lines.filter((line) => line === whole)).toHaveLength(1);
      // What named the session was not answered, so that it comes again.
      await bench.send(lateTalk(A)[1]);
      expect([await bench.conversations(), await bench.said()]).toEqual([['a-talk'], asked(A, B)]);
    }
    expect(index.length).toBeGreaterThan(0);
  });

  test('one that cannot be read harms no other that is to be taken', async () => {
    const problems: string[] = [];
    const bench = await receive();
    const files = new RecordingFiles({
      folder: bench.folder,
      extension: '.otlp.jsonl',
      maxBytes: 1_000_000,
      onGrown: () => undefined,
    });
    // Instead of the first recording stands something that is no file.
    await mkdir(files.pathOf(`trace ${A}`));
    await files.add(`trace ${B}`, ['{"resourceSpans":[]}']);
    const lines = [A, B].map((trace) => JSON.stringify({ trace, of: 'session a talk' }));
    await writeFile(join(bench.folder, 'sessions.index'), `${lines.join('\n')}\n`);
    await receive({ folder: bench.folder, onProblem: (words) => problems.push(words) });
    expect(await readFile(files.pathOf('session a talk'), 'utf8')).toBe('{"resourceSpans":[]}\n');
    expect(problems).toEqual([expect.stringContaining(`trace ${A} stays a recording of its own`)]);
  });

  test('an index that is cut anywhere, or damaged, makes no recording unreadable', async () => {
    const { bench, index } = await before();
    const path = join(bench.folder, 'sessions.index');
    for (let cut = 0; cut <= index.length; cut += 7) {
      await writeFile(path, index.subarray(0, cut));
      await bench.restart();
      await bench.send(...lateTalk(A));
      expect(await bench.recordings(), `cut at ${cut}`).toHaveLength(1);
    }
    await appendFile(path, '{"trace":5,"of":[]}\n{"session":"x"}\nnull\n[1]\n\0\n');
    await bench.restart();
    await bench.send(...lateTalk('d'.repeat(32)));
    expect([await bench.recordings(), bench.problems]).toEqual([[expect.any(String)], []]);
    expect((await readdir(bench.folder)).filter((name) => !name.endsWith('.otlp.jsonl'))).toEqual([
      'sessions.index',
    ]);
  });
});

test('turns of Codex, whose spans name their session last and by its thread, are one conversation with its logs', async () => {
  const thread = '019efa28-63ad-76a2-8e9b-8a653170604e';
  const bench = await receive();
  const attributes = (about: Readonly<Record<string, string | number>>) =>
    Object.entries(about).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    }));
  const resource = { attributes: attributes({ 'service.name': 'codex_cli_rs' }) };
  const send = (trace: string, name: string, about: Readonly<Record<string, string | number>>) => {
    const ids = { traceId: trace.repeat(32), spanId: name.length.toString(16).padStart(16, '0') };
    const span = { ...ids, name, attributes: attributes({ 'thread.id': 7, ...about }) };
    return bench.post('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
  };
  for (const trace of ['a', 'b']) {
    await send(trace, 'run_turn', {});
    const turn = { 'turn.id': trace, 'gen_ai.conversation.id': trace, model: 'gpt-5.1' };
    await send(trace, 'session_task.turn', { ...turn, 'thread.id': thread });
  }
  const prompt = { 'event.name': 'codex.user_prompt', 'conversation.id': thread, prompt: 'What is here?' };
  const logRecords = [{ traceId: 'b'.repeat(32), attributes: attributes(prompt) }];
  await bench.post('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  const paths = await bench.recordings();
  expect(paths).toHaveLength(1);
  const read = await importFile(paths[0]!);
  expect([read.conversations.map(({ id }) => id), said(read)]).toEqual([[thread], ['user: What is here?']]);
});

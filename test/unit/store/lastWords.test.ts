import { appendFile, cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf } from '../../../src/core/message.js';
import { Recorder } from '../../../src/core/record/recorder.js';
import type { LogRecord, PieceBody } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

const place = (call: string) => ({ run: 'r', call, agent: `agent ${call}`, depth: 0 });

/** A conversation that is being recorded, and what a process that comes after its end finds. */
async function aRecording() {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const recorder = new Recorder({ conversation: 'c1', onListenerFailure: () => undefined });
  recorder.onDidRecord((record) => journal.append(record));
  recorder.onDidSay((piece) => journal.say?.(piece));
  const folder = join(root, 'conversations', 'c1');
  const record = (call: string, content: string, role: 'user' | 'assistant' = 'assistant') =>
    recorder.record({ ...place(call), type: 'message', message: { role, content } });
  const say = (call: string, request: string, piece: Omit<PieceBody, 'type' | 'request'>) =>
    recorder.say({ ...place(call), type: 'piece', request, ...piece });
  return {
    journal,
    folder,
    record,
    say,
    recorder,
    /** Resolves when so many pieces are on the disk. */
    written: async (count: number) => {
      await expect
        .poll(async () => (await readFile(join(folder, 'pieces.jsonl'), 'utf8')).split('\n').length - 1)
        .toBe(count);
    },
    /** What stands in a copy of the store whose writer has ended, once the next one has opened it. */
    after: async (change: (folder: string) => Promise<void> = async () => undefined) => {
      await journal.flush();
      const copy = join(await temporaryFolder(), 'store');
      await cp(root, copy, { recursive: true });
      const there = join(copy, 'conversations', 'c1');
      await rm(join(there, 'lock'), { force: true });
      await change(there);
      const next = await TranscriptStore.open({ root: copy, log: silentLog, onProblem: () => undefined });
      const transcript = await next.openTranscript('c1');
      const records = (await transcript.read(0, transcript.length)) as readonly LogRecord[];
      await transcript.close();
      await next.close();
      return { records, files: await readdir(there), root: copy };
    },
  };
}

const texts = (records: readonly LogRecord[]) =>
  records.flatMap((each) => (each.type === 'message' ? [textOf(each.message.content)] : [each.type]));

test('what was being said when its process ended is the last message of the conversation', async () => {
  const { record, say, after, written } = await aRecording();
  record('k', 'Go on.', 'user');
  say('k', 'q1', { text: 'First I ', reasoning: 'Hm. ' });
  say('k', 'q1', { text: 'look 🥒', reasoning: 'So?' });
  say('k', 'q1', { toolCall: { index: 0, id: 't1', name: 'read_file', arguments: '{"path":' } });
  say('k', 'q1', { toolCall: { index: 0, arguments: '"a.t' } });
  await written(4);
  const { records, files } = await after();
  expect(texts(records)).toEqual(['Go on.', 'First I look 🥒']);
  expect(records[1]).toMatchObject({
    seq: 2,
    agent: 'agent k',
    partial: 'error',
    message: {
      reasoning_content: 'Hm. So?',
      tool_calls: [{ id: 't1', function: { name: 'read_file', arguments: '{"path":"a.t' } }],
    },
  });
  expect(files).not.toContain('pieces.jsonl');
});

test('what was said is no last word, nor what was said of a request that another one followed', async () => {
  const { record, say, after, written } = await aRecording();
  record('a', 'Go on.', 'user');
  say('a', 'q1', { text: 'half' });
  say('b', 'q2', { text: 'never ' });
  say('b', 'q3', { text: 'at last' });
  await written(3);
  record('a', 'half and whole');
  const { records } = await after();
  expect(texts(records)).toEqual(['Go on.', 'half and whole', 'at last']);
});

test('a torn piece is left out, and a second opening adds nothing', async () => {
  const { record, say, after, written } = await aRecording();
  record('k', 'Go on.', 'user');
  say('k', 'q', { text: 'so far' });
  await written(1);
  const { records, root } = await after((folder) =>
    appendFile(join(folder, 'pieces.jsonl'), '{"seq":1,"id":"m_1","type":"piece","text":"never'),
  );
  expect(texts(records)).toEqual(['Go on.', 'so far']);
  const again = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  expect((await again.openTranscript('c1')).length).toBe(2);
  await again.close();
});

test('once all that was said is on the disk as records, the pieces are gone', async () => {
  const { journal, folder, record, say, written } = await aRecording();
  record('k', 'Go on.', 'user');
  say('k', 'q', { text: 'so far' });
  await written(1);
  record('k', 'so far so good');
  await journal.flush();
  await written(0);
  await journal.close();
  expect(await readdir(folder)).not.toContain('pieces.jsonl');
});

test('a store that is opened for reading alone shows what was said last, and is left as it is', async () => {
  const { record, say, after, written, recorder } = await aRecording();
  record('k', 'Go on.', 'user');
  say('k', 'q', { text: 'so far' });
  await written(1);
  expect(recorder.lastSeq).toBe(1);
  const read = async (root: string) => {
    const store = await TranscriptStore.open({
      root,
      log: silentLog,
      onProblem: () => undefined,
      readOnly: true,
    });
    const transcript = await store.openTranscript('c1');
    const records = (await transcript.read(0, transcript.length)) as readonly LogRecord[];
    await transcript.close();
    await store.close();
    return records;
  };
  let words: readonly LogRecord[] = [];
  const { root, records } = await after(async (folder) => {
    words = await read(join(folder, '..', '..'));
    expect(texts(words)).toEqual(['Go on.', 'so far']);
    expect(words[1]).toMatchObject({ seq: 2, partial: 'error' });
    expect(await readdir(folder)).toContain('pieces.jsonl');
  });
  expect(records.map(({ id, seq }) => [id, seq])).toEqual(words.map(({ id, seq }) => [id, seq]));
  expect(texts(await read(root))).toEqual(['Go on.', 'so far']);
});

test('what somebody says who is still there is no last word', async () => {
  const { record, say, written, folder } = await aRecording();
  record('k', 'Go on.', 'user');
  say('k', 'q', { text: 'so far' });
  await written(1);
  const root = join(folder, '..', '..');
  const store = await TranscriptStore.open({
    root,
    log: silentLog,
    onProblem: () => undefined,
    readOnly: true,
  });
  expect((await store.openTranscript('c1')).length).toBe(1);
  await store.close();
});

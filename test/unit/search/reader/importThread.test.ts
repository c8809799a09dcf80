import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ImportThread } from '../../../../src/search/reader/importThread.js';
import { buildWorker } from '../../../support/buildWorker.js';
import { RecordingLog } from '../../../support/recordingLog.js';
import { temporaryStore } from '../../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/import.worker.ts');
});

const line = (uuid: string, type: string, content: unknown) =>
  JSON.stringify({
    type,
    uuid,
    sessionId: 's1',
    cwd: '/work/shop',
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: type, content },
  });
const talk = (turns: number, from = 0) =>
  Array.from({ length: turns }, (_, at) => [
    line(`u${from + at}`, 'user', `Question ${from + at}`),
    line(`a${from + at}`, 'assistant', [{ type: 'text', text: `Answer ${from + at} `.repeat(100) }]),
  ])
    .flat()
    .join('\n');

async function fixture(content: string, heldBytes?: number) {
  const root = await mkdtemp(join(tmpdir(), 'import-thread-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const path = join(root, 's1.jsonl');
  await writeFile(path, content);
  const { store } = await temporaryStore();
  const thread = new ImportThread({
    script,
    log: new RecordingLog(),
    ...(heldBytes !== undefined && { heldBytes }),
  });
  onTestFinished(() => thread.dispose());
  /** Imports the file as it is now. */
  const load = async (
    signal = new AbortController().signal,
    onProgress: (done: number) => void = () => undefined,
  ) => {
    const { conversations, close } = await thread.read(path, signal, onProgress);
    const [first] = conversations;
    if (!first) throw new Error('The file has a conversation.');
    const source = { tool: 'claude-code', session: first.id, path, title: first.title };
    const outcome = await store.importRecords(source, first.records, signal);
    close();
    return { first, outcome };
  };
  return { path, store, thread, load };
}

test('a file is read, compared and stored on the thread; what it has gained is added', async () => {
  const { path, store, load } = await fixture(talk(3));
  const { first, outcome } = await load();
  expect(first).toMatchObject({
    id: 's1',
    length: 6,
    project: 'shop',
    hasMessage: true,
    title: 'Question 0',
  });
  expect(outcome).toMatchObject({ kind: 'new', added: 6 });
  expect((await load()).outcome.kind).toBe('unchanged');
  await writeFile(path, `${talk(3)}\n${talk(2, 3)}`);
  expect((await load()).outcome).toEqual({ kind: 'grown', conversation: outcome.conversation, added: 4 });
  const transcript = await store.openTranscript(outcome.conversation);
  const records = await transcript.read(0, transcript.length);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(JSON.stringify(records.at(-1))).toContain('Answer 4');
  await transcript.close();
});

test('a large file tells how much of it is read, and can be cancelled while it is', async () => {
  const { path, thread, load } = await fixture(talk(1_000), 0);
  const told: number[] = [];
  const { outcome } = await load(undefined, (done) => void told.push(done));
  expect(outcome.added).toBe(2_000);
  expect(told.length).toBeGreaterThan(20);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  const stop = new AbortController();
  const cancelled = thread.read(path, stop.signal, () => stop.abort(new Error('Enough.')));
  await expect(cancelled).rejects.toThrow('Enough.');
});

test('a file that is not there is reported in the words of the system', async () => {
  const { path, load } = await fixture('');
  await rm(path);
  await expect(load()).rejects.toMatchObject({ code: 'ENOENT' });
});

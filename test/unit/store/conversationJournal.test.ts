import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import type { Journal, JournalState } from '../../../src/core/ports/journal.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

/** Resolves with the first state that is as wanted. */
function until(journal: Journal, isWanted: (state: JournalState) => boolean): Promise<JournalState> {
  return new Promise((resolve) => {
    const subscription = journal.onDidChange((state) => {
      if (!isWanted(state)) return;
      subscription.dispose();
      resolve(state);
    });
    if (isWanted(journal.state)) resolve(journal.state);
  });
}

async function texts(store: TranscriptStore, id = 'c1'): Promise<unknown[]> {
  const transcript = await store.openTranscript(id);
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  return records.map((record) => (record as { message?: { content?: unknown } }).message?.content);
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `text ${from + at}`);
const append = (journal: Journal, from: number, to: number) => {
  for (let seq = from; seq <= to; seq++) journal.append(recordOf(seq, said(`text ${seq}`)));
};

test('records become durable without being asked for', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  append(journal, 1, 3);
  expect(await until(journal, ({ durable }) => durable === 3)).toEqual({ taken: 3, durable: 3 });
});

test('where lines may wait, few are read from memory until somebody asks for the disk, and many are written', async () => {
  const { store, root } = await temporaryStore({ limits: { lingerMs: 3_600_000 } });
  const journal = await store.createConversation('c1');
  const path = join(root, 'conversations', 'c1', 'messages.jsonl');
  append(journal, 1, 3);
  expect(await texts(store)).toEqual(numbers(1, 3));
  expect(existsSync(path)).toBe(false);
  expect(await journal.flush()).toEqual({ taken: 3, durable: 3 });
  journal.append(recordOf(4, said('x'.repeat(1024 * 1024))));
  journal.append(recordOf(5, said('y')));
  expect(await until(journal, ({ durable }) => durable === 5)).toEqual({ taken: 5, durable: 5 });
  append(journal, 6, 6);
  await journal.close();
  expect(await texts(store)).toHaveLength(6);
});

test('a store that cannot be written says so, keeps what it gets, and writes it when it can', async () => {
  const { store, root, problems, solved } = await temporaryStore({ limits: { retryMs: 20 } });
  await mkdir(root);
  await writeFile(join(root, 'conversations'), 'in the way');
  const journal = await store.createConversation('c1');
  expect(problems).toMatchObject([
    { code: 'EUNSAFE', conversation: 'c1', action: expect.stringContaining(root) as string },
  ]);
  append(journal, 1, 300);
  const state = await journal.flush();
  expect(state).toMatchObject({
    taken: 300,
    durable: 0,
    problem: expect.stringContaining('not saved') as string,
  });
  expect(await texts(store)).toEqual(numbers(1, 300));
  await rm(join(root, 'conversations'));
  expect(await until(journal, ({ durable }) => durable === 300)).toEqual({ taken: 300, durable: 300 });
  expect(solved).toMatchObject([{ code: 'EUNSAFE' }]);
  expect(problems).toHaveLength(1);
  expect(await texts(store)).toEqual(numbers(1, 300));
});

test('too much that waits asks for a stop, and far too much is refused and reported', async () => {
  const { store, root, problems } = await temporaryStore({ limits: { retryMs: 20, waitingBytes: 10_000 } });
  await mkdir(root);
  await writeFile(join(root, 'conversations'), 'in the way');
  const journal = await store.createConversation('c1');
  append(journal, 1, 20);
  expect(journal.state.full).toBeUndefined();
  append(journal, 21, 40);
  expect(journal.state.full).toBe(true);
  append(journal, 41, 200);
  expect(problems.map(({ code }) => code)).toEqual(['EUNSAFE', 'EREFUSED']);
  await rm(join(root, 'conversations'));
  const { durable } = await until(journal, ({ durable, taken }) => durable === taken);
  expect(durable).toBeLessThan(100);
  expect(journal.state.full).toBeUndefined();
});

test('a closed journal that cannot be written waits until it can', async () => {
  const { store, root, problems, solved } = await temporaryStore({ limits: { retryMs: 20 } });
  await mkdir(root);
  await writeFile(join(root, 'conversations'), 'in the way');
  const journal = await store.createConversation('c1');
  append(journal, 1, 2);
  const closing = journal.close();
  expect(await store.resumeConversation('c1')).toEqual({
    refused: expect.stringContaining('not on the disk yet') as string,
  });
  await journal.flush();
  await rm(join(root, 'conversations'));
  await closing;
  expect(problems.map(({ code }) => code)).toEqual(['EUNSAFE']);
  expect(solved).toHaveLength(1);
  expect(await texts(store)).toEqual(numbers(1, 2));
});

test('a text larger than all that may wait is written like any other where the disk takes it', async () => {
  const { store, problems } = await temporaryStore({ limits: { waitingBytes: 50_000 } });
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('x'.repeat(200_000), 'tool')));
  append(journal, 2, 50);
  expect(journal.state.full).toBeUndefined();
  expect(await journal.flush()).toEqual({ taken: 50, durable: 50 });
  expect(problems).toEqual([]);
  expect(await texts(store)).toEqual(['x'.repeat(500), ...numbers(2, 50)]);
});

test('a conversation that waits for the disk can be deleted', async () => {
  const { store, root } = await temporaryStore({ limits: { retryMs: 20 } });
  await mkdir(root);
  await writeFile(join(root, 'conversations'), 'in the way');
  const journal = await store.createConversation('c1');
  append(journal, 1, 2);
  const closing = journal.close();
  await store.deleteConversation('c1').catch(() => undefined);
  await closing;
  expect(store.isOpen('c1')).toBe(false);
});

test('closing a store that cannot be written says how much is lost', async () => {
  const { store, root, problems } = await temporaryStore({ limits: { retryMs: 20 } });
  await mkdir(root);
  await writeFile(join(root, 'conversations'), 'in the way');
  const journal = await store.createConversation('c1');
  append(journal, 1, 2);
  const transcript = await store.openTranscript('c1');
  await store.close();
  await journal.close();
  expect(problems.map(({ code, title }) => [code, title]).at(-1)).toEqual([
    'EUNSAVED',
    '2 records were not saved',
  ]);
  expect(transcript.length).toBe(2);
});

test('what comes after the close is not taken silently', async () => {
  const { store, problems } = await temporaryStore();
  const journal = await store.createConversation('c1');
  await journal.close();
  append(journal, 1, 2);
  expect(problems).toMatchObject([{ code: 'EREFUSED' }]);
});

test('a conversation in which nothing was said leaves nothing behind', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  await journal.close();
  expect(await readdir(join(root, 'conversations'))).toEqual([]);
});

test('a record that is no JSON leaves an error in its place', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  journal.append({ ...recordOf(1, said('x')), circle } as unknown as LogRecord);
  append(journal, 2, 2);
  await journal.close();
  const transcript = await store.openTranscript('c1');
  expect(await transcript.read(0, 2)).toMatchObject([{ seq: 1, type: 'error', where: 'store' }, { seq: 2 }]);
});

test.each<[string, (root: string) => Promise<void>]>([
  ['deleted', (root) => rm(root, { recursive: true })],
  ['moved away', (root) => rename(root, `${root}-moved`)],
  ['emptied', (root) => rm(join(root, 'conversations'), { recursive: true })],
])('a store that is %s under a run comes back with all that was said', async (_, harm) => {
  const { store, root, problems } = await temporaryStore();
  const journal = await store.createConversation('c1');
  append(journal, 1, 5);
  await journal.flush();
  await harm(root);
  append(journal, 6, 10);
  await expect.poll(() => problems.length).toBe(1);
  expect(problems).toMatchObject([{ code: 'EMOVED' }]);
  await journal.close();
  expect(await texts(store)).toEqual(numbers(1, 10));
  expect(existsSync(join(root, '.gitignore'))).toBe(true);
});

test.each([0, 1, 250])(
  'a journal of which others leave only %i bytes is noticed, and what memory holds is written again',
  async (left) => {
    const { store, root, problems } = await temporaryStore();
    const journal = await store.createConversation('c1');
    append(journal, 1, 300);
    await journal.flush();
    const path = await store.journalPath('c1');
    await truncate(path, left);
    append(journal, 301, 303);
    await expect.poll(() => problems).toMatchObject([{ code: 'ESHRUNK' }]);
    expect(problems[0]?.detail).not.toContain('gone');
    append(journal, 304, 304);
    expect(await journal.flush()).toEqual({ taken: 304, durable: 304 });
    expect(await texts(store)).toEqual(numbers(1, 304));
    await journal.close();
    const again = await temporaryStore({ root });
    expect(await texts(again.store)).toEqual(numbers(1, 304));
    expect(again.problems).toEqual([]);
  },
);

test('records of earlier runs that only the file had are counted as gone, and the rest is whole', async () => {
  const { store, root, problems } = await temporaryStore();
  const first = await store.createConversation('c1');
  append(first, 1, 10);
  await first.close();
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  const { journal } = resumed;
  append(journal, 11, 20);
  await journal.flush();
  await truncate(await store.journalPath('c1'), 0);
  await expect.poll(() => problems).toMatchObject([{ code: 'ESHRUNK' }]);
  expect(problems[0]?.detail).toContain('are gone: 10.');
  await journal.close();
  const again = await temporaryStore({ root });
  expect(await texts(again.store)).toEqual(numbers(11, 20));
  const transcript = await again.store.openTranscript('c1');
  expect(transcript.damaged).toMatchObject([{ why: 'records 1 to 10 are missing here' }]);
  await again.store.catalog.refresh();
  expect(again.store.catalog.entries()).toMatchObject([{ messages: 10, damaged: 1 }]);
});

test('a journal that was cut and then deleted is whole again', async () => {
  const { store, root, problems } = await temporaryStore();
  const journal = await store.createConversation('c1');
  append(journal, 1, 300);
  await journal.flush();
  const path = await store.journalPath('c1');
  await truncate(path, 400);
  await rm(path);
  await expect.poll(() => problems.map(({ code }) => code)).toEqual(['ESHRUNK', 'EMOVED']);
  append(journal, 301, 301);
  await journal.close();
  const again = await temporaryStore({ root });
  expect(await texts(again.store)).toEqual(numbers(1, 301));
});

test('what stands in the place of a replaced journal is kept aside', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  append(journal, 1, 5);
  await journal.flush();
  const path = join(root, 'conversations', 'c1', 'messages.jsonl');
  await rm(path);
  await writeFile(path, 'from another branch');
  await expect.poll(async () => (await readFile(path, 'utf8')).split('\n').length).toBe(7);
  const quarantine = join(root, 'conversations', 'c1', 'quarantine');
  const [kept = ''] = await readdir(quarantine);
  expect(await readFile(join(quarantine, kept), 'utf8')).toBe('from another branch');
  await journal.close();
});

test('a journal that has grown large goes on in another file, and reads as one', async () => {
  const { store, root } = await temporaryStore({ segmentBytes: 2000 });
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= 40; seq++) {
    append(journal, seq, seq);
    await journal.flush();
  }
  const transcript = await store.openTranscript('c1');
  await journal.close();
  const files = (await readdir(join(root, 'conversations', 'c1'))).sort();
  expect(files.length).toBeGreaterThan(3);
  expect(files).toContain('messages.2.jsonl');
  expect((await stat(join(root, 'conversations', 'c1', 'messages.jsonl'))).size).toBeLessThan(3000);
  expect(transcript.length).toBe(40);

  const { store: later } = await temporaryStore({ root, segmentBytes: 2000 });
  expect(await texts(later)).toEqual(numbers(1, 40));
  const resumed = await later.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  append(resumed.journal, 41, 41);
  await resumed.journal.close();
  await later.catalog.refresh();
  expect(await texts(later)).toEqual(numbers(1, 41));
  expect(later.catalog.entries()).toMatchObject([{ messages: 41, damaged: 0 }]);
});

test('the same conversation is not created twice, also by two that try at once', async () => {
  const { store, root } = await temporaryStore();
  const { store: other } = await temporaryStore({ root });
  const tries = await Promise.allSettled(
    [store, other, store, other].map((each) => each.createConversation('c1')),
  );
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(store.createConversation('c1')).rejects.toThrow('exists already');
});

test('a store that is open for reading only writes nothing', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  append(journal, 1, 3000);
  await store.close();
  await rm(join(root, 'state'), { recursive: true });
  await rm(join(root, 'conversations', 'c1', 'index.bin'));
  const { store: reader } = await temporaryStore({ root, readOnly: true });
  expect(await texts(reader)).toEqual(numbers(1, 3000));
  await reader.catalog.refresh();
  await expect(reader.createConversation('c2')).rejects.toThrow('reading only');
  await expect(reader.deleteConversation('c1')).rejects.toThrow('reading only');
  expect(await reader.resumeConversation('c1')).toHaveProperty('refused');
  await reader.close();
  expect((await readdir(root)).sort()).toEqual(['.gitignore', '.logbook', 'conversations']);
  expect((await readdir(join(root, 'conversations', 'c1'))).sort()).toEqual([
    'messages.jsonl',
    'messages.seal',
  ]);
  expect(journal.state.durable).toBe(3000);
});

import { spawnSync } from 'node:child_process';
import { readFile, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

const contents = (records: readonly object[]) =>
  records.map((record) => (record as { message?: { content?: unknown } }).message?.content);

test('opening a store creates nothing', async () => {
  const { store, root } = await temporaryStore();
  await store.catalog.refresh();
  await expect(stat(root)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('what was recorded is readable at once, before it is written, and after', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const transcript = await store.openTranscript('c1');
  journal.append(recordOf(1, said('Hello', 'user')));
  journal.append(recordOf(2, said('Good day')));
  expect(transcript.length).toBe(2);
  expect(contents(await transcript.read(0, 10))).toEqual(['Hello', 'Good day']);
  expect(await journal.flush()).toEqual({ taken: 2, durable: 2 });
  expect(contents(await transcript.read(0, 10))).toEqual(['Hello', 'Good day']);
  expect(await transcript.read(1, 2)).toEqual([recordOf(2, said('Good day'))]);
});

test('who closes a transcript twice takes it from nobody else', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const [first, second] = [await store.openTranscript('c1'), await store.openTranscript('c1')];
  let grown = 0;
  second.onDidGrow(() => grown++);
  await first.close();
  await first.close();
  journal.append(recordOf(1, said('Hello', 'user')));
  await journal.flush();
  expect(grown).toBeGreaterThan(0);
});

test('the file is a header and one record a line, keys in order, for the owner alone', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('Hello', 'user')));
  await journal.close();
  const path = join(root, 'conversations', 'c1', 'messages.jsonl');
  const [header = '', line = '', end] = (await readFile(path, 'utf8')).split('\n');
  expect(JSON.parse(header)).toMatchObject({ logbook: 2, conversation: 'c1', check: 'crc32' });
  expect(JSON.parse(line)).toEqual({
    ...recordOf(1, said('Hello', 'user')),
    crc: expect.any(String) as string,
  });
  expect(Object.keys(JSON.parse(line) as object).slice(0, 4)).toEqual(['seq', 'id', 'time', 'conversation']);
  expect(end).toBe('');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(root)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(root, '.gitignore'), 'utf8')).toContain('\n*\n');
  expect((await readdir(join(root, 'conversations', 'c1'))).sort()).toEqual([
    'messages.jsonl',
    'messages.seal',
  ]);
});

test('a conversation goes on where it ended', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const transcript = await store.openTranscript('c1');
  journal.append(recordOf(1, said('one')));
  await journal.close();
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  expect(resumed.lastSeq).toBe(1);
  resumed.journal.append(recordOf(2, said('two')));
  expect(contents(await transcript.read(0, 10))).toEqual(['one', 'two']);
  await resumed.journal.close();
  expect(contents(await transcript.read(0, 10))).toEqual(['one', 'two']);
});

test('the same id twice is one record, also after a restart', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('one')));
  journal.append(recordOf(1, said('one')));
  await journal.flush();
  journal.append(recordOf(1, said('one')));
  await journal.close();
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  resumed.journal.append(recordOf(1, said('one')));
  const transcript = await store.openTranscript('c1');
  expect(transcript.length).toBe(1);
});

test('the catalog tells of conversations that are written and of those that were', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const usage = { inputTokens: 10, outputTokens: 5, estimated: false };
  journal.append(recordOf(1, { type: 'callStart', task: 'Salt?', model: 'm', tools: [] }));
  journal.append(recordOf(2, said('How much salt?', 'user')));
  journal.append(
    recordOf(3, { type: 'request', model: 'm', endpoint: 'e', attempt: 1, durationMs: 1, usage }),
  );
  expect(store.catalog.entries()).toMatchObject([
    { conversation: 'c1', title: 'How much salt?', state: 'running' },
  ]);
  await store.close();

  const { store: later } = await temporaryStore({ root });
  await later.catalog.refresh();
  expect(later.catalog.entries()).toMatchObject([
    {
      conversation: 'c1',
      agents: ['Pickle'],
      messages: 1,
      runs: 1,
      tokens: 15,
      state: 'interrupted',
      damaged: 0,
    },
  ]);
});

test('the catalog finds one conversation by its id, whether it is written, was, or has a folder of another name', async () => {
  const { store, root } = await temporaryStore();
  const odd = 'a/b: c';
  for (const id of ['plain', odd, 'moved']) {
    const journal = await store.createConversation(id);
    journal.append(recordOf(1, said('Hello', 'user'), id));
    expect(store.catalog.find(id)?.conversation).toBe(id);
    await journal.close();
  }
  const conversations = join(root, 'conversations');
  await rename(join(conversations, 'moved'), join(conversations, 'elsewhere'));
  await store.catalog.refresh();
  const found = ['plain', odd, 'none'].map((id) => store.catalog.find(id)?.conversation);
  expect(found).toEqual(['plain', odd, undefined]);
  for (const entry of store.catalog.entries()) expect(store.catalog.find(entry.conversation)).toBe(entry);
});

test('a window that is not there any more leaves a conversation that another can continue', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('one')));
  await journal.flush();
  const { store: other } = await temporaryStore({ root });
  expect(await other.resumeConversation('c1')).toEqual({
    refused: expect.stringContaining('another window') as string,
  });
  await store.close();
  expect(await other.resumeConversation('c1')).toMatchObject({ lastSeq: 1 });
});

test('the order is that of the seqs, whatever the clock says', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const times = [5000, 4000, 4000, 0];
  times.forEach((time, at) => journal.append({ ...recordOf(at + 1, said(`text ${at + 1}`)), time }));
  await journal.close();
  const transcript = await store.openTranscript('c1');
  const read = await transcript.read(0, transcript.length);
  expect(read.map(({ seq, time }) => [seq, time])).toEqual(times.map((time, at) => [at + 1, time]));
});

const hasGit = spawnSync('git', ['--version']).status === 0;

test.skipIf(!hasGit)('git sees nothing of a store in its work tree', async () => {
  const folder = await temporaryFolder();
  const git = (...words: string[]) => spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  const { store } = await temporaryStore({ root: join(folder, '.agent-logbook') });
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('x'.repeat(60_000))));
  await store.close();
  expect(git('status', '--porcelain', '--untracked-files=all').stdout).toBe('');
});

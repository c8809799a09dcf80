import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const NOW = 1_800_000_000_000;
const LARGE = 'x'.repeat(60_000);

/** Puts files there, each changed so many minutes ago, with their folders. */
async function plant(root: string, files: Readonly<Record<string, number>>): Promise<void> {
  for (const path of Object.keys(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), 'left behind');
  }
  for (const [path, minutes] of Object.entries(files)) {
    const time = (NOW - minutes * 60_000) / 1000;
    await utimes(join(root, path), time, time);
    await utimes(dirname(join(root, path)), time, time);
  }
}

const paths = (root: string, files: Readonly<Record<string, number>>) =>
  Object.keys(files).filter((path) => existsSync(join(root, path)));

async function storeWithConversation() {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said(LARGE)));
  await journal.close();
  await store.close();
  return root;
}

test('texts of conversations that are nowhere go, after a grace time', async () => {
  const root = await storeWithConversation();
  const texts = 'state/logs/tool-results';
  const files = {
    [`${texts}/gone/m_1.json`]: 61,
    [`${texts}/fresh/m_1.json`]: 59,
    [`${texts}/half/m_1.json`]: 300,
    'conversations/.importing-half/messages.jsonl': 59,
    [`${texts}/old/m_1.json`]: 300,
    'conversations/.importing-old/messages.jsonl': 61,
  };
  await plant(root, files);
  await temporaryStore({ root, clock: { now: () => NOW } });
  expect(paths(root, files)).toEqual([
    `${texts}/fresh/m_1.json`,
    `${texts}/half/m_1.json`,
    'conversations/.importing-half/messages.jsonl',
  ]);
  expect((await readdir(join(root, 'conversations'))).sort()).toEqual(['.importing-half', 'c1']);
  expect(await readdir(join(root, texts, 'c1'))).toHaveLength(1);
});

test('texts to which no record came, and half-made files, go when the conversation goes on', async () => {
  const root = await storeWithConversation();
  const texts = 'state/logs/tool-results/c1';
  const [kept = ''] = await readdir(join(root, texts));
  const files = {
    [`${texts}/${kept}`]: 500,
    [`${texts}/m_never.json`]: 61,
    [`${texts}/m_never.arguments-0.json`]: 61,
    [`${texts}/m_soon.json`]: 10,
    [`${texts}/.tmp-m_x.json-0a`]: 61,
    'conversations/c1/.tmp-messages.2.jsonl-0a': 61,
    'conversations/c1/lock.0a0a0a0a0a0a': 61,
  };
  await plant(root, files);
  const { store } = await temporaryStore({ root, clock: { now: () => NOW } });
  const resumed = await store.resumeConversation('c1');
  expect(resumed).toHaveProperty('journal');
  expect(paths(root, files)).toEqual([`${texts}/${kept}`, `${texts}/m_soon.json`]);
});

test('beside a damaged line no text is taken for an orphan', async () => {
  const root = await storeWithConversation();
  const texts = 'state/logs/tool-results/c1';
  await writeFile(join(root, 'conversations/c1/messages.jsonl'), 'not a record\n', { flag: 'a' });
  const files = { [`${texts}/m_never.json`]: 600 };
  await plant(root, files);
  const { store } = await temporaryStore({ root, clock: { now: () => NOW } });
  await store.resumeConversation('c1');
  expect(paths(root, files)).toHaveLength(1);
});

const many = (count: number): LogRecord[] =>
  Array.from({ length: count }, (_, at) => recordOf(at + 1, said(at % 50 === 0 ? LARGE : `text ${at}`)));

test('an import is there whole, with its large texts', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', many(500));
  const transcript = await store.openTranscript('c1');
  expect(transcript.length).toBe(500);
  expect(await transcript.read(1, 2)).toMatchObject([{ seq: 2, message: { content: 'text 1' } }]);
  expect(await readdir(join(root, 'state/logs/tool-results/c1'))).toHaveLength(10);
  expect(store.catalog.entries()).toMatchObject([{ conversation: 'c1', messages: 500 }]);
  await expect(store.importConversation('c1', many(1))).rejects.toThrow('exists already');
  expect(transcript.length).toBe(500);
});

test.each<[string, (stop: AbortController) => void]>([
  ['cancelled', (stop) => stop.abort(new Error('enough'))],
  [
    'broken',
    () => {
      throw new Error('enough');
    },
  ],
])('an import that is %s half way leaves nothing', async (_, harm) => {
  const { store, root } = await temporaryStore();
  const stop = new AbortController();
  function* records() {
    for (const record of many(5000)) {
      if (record.seq === 4000) harm(stop);
      yield record;
    }
  }
  await expect(store.importConversation('c1', records(), stop.signal)).rejects.toThrow('enough');
  expect(await readdir(join(root, 'conversations'))).toEqual([]);
  expect(await readdir(join(root, 'state/logs/tool-results'))).toEqual([]);
  expect(store.catalog.entries()).toEqual([]);
});

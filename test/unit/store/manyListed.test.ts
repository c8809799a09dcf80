import { existsSync } from 'node:fs';
import { appendFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import { ReaderThread } from '../../../src/search/reader/readerThread.js';
import { readRows, type ReadRowsOnThread } from '../../../src/store/catalog/readRows.js';
import type { ReadOnThread } from '../../../src/store/write/storeOptions.js';
import { buildWorker } from '../../support/buildWorker.js';
import { filledStore } from '../../support/filledStore.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const MANY = 450;

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/reader.worker.ts');
});

const lineOf = (seq: number, conversation: string) =>
  `${JSON.stringify(recordOf(seq, said('Yes.'), conversation))}\n`;

/** The thread of a window, which counts what it is asked. */
function countingThread(): ReadOnThread & { counts: { asked: number; kept: number } } {
  const reader = new ReaderThread({ script, log: silentLog });
  onTestFinished(() => reader.dispose());
  const counts = { asked: 0, kept: 0 };
  const rows: ReadRowsOnThread = async (wanted) => {
    counts.asked += wanted.length;
    const found = await reader.rows(wanted);
    counts.kept += found.filter(({ row }) => row === 'kept').length;
    return found;
  };
  return { lines: reader.lines, row: reader.row, record: reader.record, rows, counts };
}

async function listed(root: string, options: Partial<Parameters<typeof temporaryStore>[0]> = {}) {
  const { store } = await temporaryStore({ root, ...options });
  await store.catalog.refresh();
  return store.catalog.entries();
}

test('many conversations are read on the other thread, and kept at once for the next window', async () => {
  const { root, folders } = await filledStore(MANY);
  const expected = await listed(root, { readOnly: true });
  expect(expected).toHaveLength(MANY);
  expect(expected.filter(({ damaged }) => damaged > 0)).toHaveLength(MANY / 50);

  const beside = countingThread();
  expect(await listed(root, { onThread: beside })).toEqual(expected);
  expect(beside.counts).toEqual({ asked: MANY, kept: 0 });
  await expect.poll(() => existsSync(join(root, 'state/catalog.json'))).toBe(true);

  // The first window is still open: it may end in a way in which nothing more is kept.
  await rm(folders[3] ?? '', { recursive: true });
  await appendFile(join(folders[4] ?? '', 'messages.jsonl'), lineOf(2, 'c_4'));
  const next = countingThread();
  const again = await listed(root, { onThread: next });
  expect(next.counts).toEqual({ asked: MANY - 1, kept: MANY - 2 });
  expect(again).toEqual(await listed(root, { readOnly: true }));
  expect(again.find(({ conversation }) => conversation === 'c_4')?.messages).toBe(2);
});

test('what was found is listed before the rest is', async () => {
  const { root } = await filledStore(MANY);
  const thread = countingThread();
  const seen: number[] = [];
  const rows: ReadRowsOnThread = (wanted) => {
    seen.push(store.catalog.entries().length);
    return thread.rows(wanted);
  };
  const { store } = await temporaryStore({ root, onThread: { ...thread, rows } });
  await store.catalog.refresh();
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBeGreaterThanOrEqual(200);
});

test('where the thread is gone, they are read here, and the log says so', async () => {
  const { root } = await filledStore(MANY);
  const gone = () => Promise.reject(new Error('The thread is gone.'));
  const log = new RecordingLog();
  const beside = { lines: gone, row: gone, rows: gone, record: gone };
  const found = await listed(root, { onThread: beside, log, readOnly: true });
  expect(found).toEqual(await listed(root, { readOnly: true }));
  const batches = log.lines.filter((line) => line.includes('are looked at on the thread that lists them'));
  expect(batches).toHaveLength(Math.ceil(MANY / 100));
});

test('what the thread has read of a conversation that ended meanwhile is not believed', async () => {
  const { root, folders } = await filledStore(MANY);
  const thread = countingThread();
  let looks = 0;
  let hold: Promise<void> = Promise.resolve();
  const rows: ReadRowsOnThread = async (wanted) => {
    const found = await thread.rows(wanted);
    if (!wanted.some(({ paths }) => paths.id === 'c_7')) return found;
    looks++;
    await hold;
    return found;
  };
  const { store } = await temporaryStore({ root, onThread: { ...thread, rows } });
  await store.catalog.refresh();
  const messagesOf = () => store.catalog.find('c_7')?.messages;
  expect(messagesOf()).toBe(1);
  let release = (): void => undefined;
  hold = new Promise((resolve) => (release = resolve));
  // Another program has written a line.
  await appendFile(join(folders[7] ?? '', 'messages.jsonl'), lineOf(2, 'c_7'));
  const looking = store.catalog.refresh();
  await expect.poll(() => looks).toBe(2);
  const resumed = await store.resumeConversation('c_7');
  if ('refused' in resumed) throw new Error(resumed.refused);
  resumed.journal.append(recordOf(3, said('Yes.'), 'c_7'));
  await resumed.journal.close();
  expect(messagesOf()).toBe(3);
  release();
  await looking;
  expect(messagesOf()).toBe(3);
});

/** A store of many conversations of which none is known yet, and a thread that answers once it is released. */
async function heldStore() {
  const { root } = await filledStore(MANY);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  const rows: ReadRowsOnThread = async (wanted) => {
    const found = await readRows(wanted, { log: silentLog, mayBlock: true });
    asked += wanted.length;
    await held;
    return found;
  };
  const unused = () => Promise.reject(new Error('Nobody reads this.'));
  const beside = { lines: unused, row: unused, record: unused, rows };
  const { store } = await temporaryStore({ root, onThread: beside });
  const looking = store.catalog.refresh();
  await expect.poll(() => asked).toBe(200);
  return { root, store, looking, release };
}

test('a conversation that is deleted while it is read for the first time is not listed', async () => {
  const { root, store, looking, release } = await heldStore();
  const [first = ''] = await readdir(join(root, 'conversations'));
  await store.deleteConversation(first);
  release();
  await looking;
  expect(store.catalog.find(first)).toBeUndefined();
  expect(store.catalog.entries()).toHaveLength(MANY - 1);
});

test('a store that was closed keeps nothing any more of what is still on its way', async () => {
  const { root, store, looking, release } = await heldStore();
  await store.close();
  release();
  await looking;
  // Waits for what would be kept.
  await store.close();
  expect(existsSync(join(root, 'state/catalog.json'))).toBe(false);
});

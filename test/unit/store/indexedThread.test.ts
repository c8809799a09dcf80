import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FilterCriteria } from '../../../src/query/filterCriteria.js';
import { IndexedThread } from '../../../src/store/search/indexedThread.js';
import type { ScanAnswer } from '../../../src/store/search/scanQuestion.js';
import { buildWorker } from '../../support/buildWorker.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

let scanScript: URL;
beforeAll(async () => {
  scanScript = await buildWorker('store/search/scan.worker.ts');
});

const NOWHERE = new URL('https://example.com/scan.js');

/** An indexed thread over a script, and a conversation of one record that says `Salt`. */
async function threadOf(script: URL) {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('Salt')));
  await journal.close();
  const thread = new IndexedThread(script);
  onTestFinished(() => thread.dispose());
  return { thread, target: { root, id: 'c1', name: 'c1' } };
}

type Made = Awaited<ReturnType<typeof threadOf>>;

/** The last answer to a question; `busy` where it was not taken. */
function lastAnswer({ thread, target }: Made, criteria: FilterCriteria = {}) {
  return new Promise<ScanAnswer | 'busy'>((resolve) => {
    const question = { targets: [target], criteria, from: 0, indexed: true };
    const isTaken = thread.ask(question, new AbortController().signal, (answer) => {
      if ('done' in answer || 'problem' in answer) resolve(answer);
    });
    if (!isTaken) resolve('busy');
  });
}

/** Counts the threads that start from now on. */
function startedThreads(): { count: number } {
  const started = { count: 0 };
  const onWorker = () => started.count++;
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  return started;
}

test('of two questions in one moment the second is told that the thread is busy, and a later one is taken', async () => {
  const made = await threadOf(scanScript);
  const [first, second] = await Promise.all([lastAnswer(made), lastAnswer(made)]);
  expect([first, second]).toEqual([expect.objectContaining({ done: true }), 'busy']);
  await nextTurn();
  expect(await lastAnswer(made)).toMatchObject({ done: true });
});

test('a thread that cannot start answers every question in words', async () => {
  const made = await threadOf(NOWHERE);
  for (let time = 0; time < 2; time++) {
    expect(await lastAnswer(made)).toMatchObject({
      problem: expect.stringContaining('broke down') as string,
    });
    await nextTurn();
  }
});

test('a question that cannot be sent is answered in words, and so is the next one', async () => {
  const made = await threadOf(scanScript);
  const unsendable = { content: (() => 'salt') as never };
  expect(await lastAnswer(made, unsendable)).toMatchObject({
    problem: expect.stringContaining('broke down') as string,
  });
  await nextTurn();
  expect(await lastAnswer(made)).toMatchObject({ done: true });
});

test('after its end it starts no thread', async () => {
  const made = await threadOf(scanScript);
  const started = startedThreads();
  made.thread.dispose();
  made.thread.prepare(made.target);
  expect(await lastAnswer(made)).toMatchObject({ problem: 'The search was ended.' });
  await nextTurn();
  expect(started.count).toBe(0);
});

import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ThreadOfFile } from '../../../src/capture/openedFiles.js';
import type { ImportThread } from '../../../src/search/reader/importThread.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** A file of a size, and threads that only say which of them are at work. */
async function fileOf(bytes: number) {
  const path = join(await temporaryFolder(), 'session.jsonl');
  writeFileSync(path, '');
  truncateSync(path, bytes);
  const atWork: string[] = [];
  const begin = (name: string) => {
    atWork.push(name);
    return { dispose: () => void atWork.splice(atWork.indexOf(name), 1) } as unknown as ImportThread;
  };
  const shared = begin('shared');
  let own = 0;
  const of = new ThreadOfFile(path, { shared: () => shared, begin: () => begin(`own ${++own}`) });
  return { of, shared, atWork };
}

test('a long file is looked at and read on one thread of its own, which ends with it', async () => {
  const { of, atWork } = await fileOf(9 * 1024 * 1024);
  const thread = await of.found();
  expect(await of.found()).toBe(thread);
  expect(atWork).toEqual(['shared', 'own 1']);
  of.leave(thread);
  expect(atWork).toEqual(['shared']);
  await of.found();
  of.dispose();
  expect(atWork).toEqual(['shared']);
});

test('two that ask at the same moment are given the same thread', async () => {
  const { of, atWork } = await fileOf(9 * 1024 * 1024);
  const [one, other] = await Promise.all([of.found(), of.found()]);
  expect(one).toBe(other);
  expect(atWork).toEqual(['shared', 'own 1']);
});

test('a small file is read on the thread that others share, which nobody ends with it', async () => {
  const { of, shared, atWork } = await fileOf(1_000);
  expect(await of.found()).toBe(shared);
  of.leave(shared);
  of.dispose();
  expect(atWork).toEqual(['shared']);
});

test('no thread begins for a file that was closed while it was looked for', async () => {
  const { of, atWork } = await fileOf(9 * 1024 * 1024);
  const found = of.found();
  of.dispose();
  await expect(found).rejects.toThrow('It was closed.');
  expect(atWork).toEqual(['shared']);
});

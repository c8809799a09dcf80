import { appendFile, mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { binRecordings, oldRecordings } from '../../../../src/app/capture/oldRecordings.js';
import { recordingsIn } from '../../../../src/app/capture/recordings.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Recordings that were last written to so many days ago, and a bin. */
async function recorded(ages: Readonly<Record<string, number>>) {
  const root = await temporaryFolder();
  const [folder, bin] = [join(root, 'recordings'), join(root, 'bin')];
  for (const each of [folder, bin]) await mkdir(each);
  const now = Date.now();
  for (const [name, days] of Object.entries(ages)) {
    await writeFile(join(folder, name), '{}\n');
    const at = (now - days * DAY_MS) / 1_000;
    await utimes(join(folder, name), at, at);
  }
  return {
    folder,
    now,
    all: () => recordingsIn(folder),
    pathOf: (name: string) => join(folder, name),
    bin: (path: string) => rename(path, join(bin, basename(path))),
    left: async () => (await readdir(folder)).sort(),
    binned: async () => (await readdir(bin)).sort(),
  };
}

const closed = () => false;
const AGES = { 'new.otlp.jsonl': 2, 'old.otlp.jsonl': 31, 'older.exchanges.jsonl': 60, 'sessions.index': 90 };

test('only what is older than it is to be kept goes, the oldest first, and no file that is none', async () => {
  const { all, now, bin, left, binned } = await recorded(AGES);
  const doomed = oldRecordings(await all(), { keepDays: 30, now, isOpen: closed });
  expect(doomed.map(({ path }) => basename(path))).toEqual(['older.exchanges.jsonl', 'old.otlp.jsonl']);
  expect(await binRecordings(doomed, closed, bin)).toEqual(new Map());
  expect([await left(), await binned()]).toEqual([
    ['new.otlp.jsonl', 'sessions.index'],
    ['old.otlp.jsonl', 'older.exchanges.jsonl'],
  ]);
});

test.each([0, -1])('%i days keep all for ever', async (keepDays) => {
  const { all, now } = await recorded(AGES);
  expect(oldRecordings(await all(), { keepDays, now, isOpen: closed })).toEqual([]);
});

test('what is open, and what is written to or opened between the question and its answer, stays', async () => {
  const { all, now, bin, pathOf, left, binned } = await recorded({
    'open.otlp.jsonl': 40,
    'opened.otlp.jsonl': 41,
    'written.otlp.jsonl': 42,
    'gone.otlp.jsonl': 43,
    'old.otlp.jsonl': 44,
  });
  const isOpen = (path: string) => path === pathOf('open.otlp.jsonl');
  const doomed = oldRecordings(await all(), { keepDays: 30, now, isOpen });
  expect(doomed).toHaveLength(4);
  await appendFile(pathOf('written.otlp.jsonl'), '{}\n');
  await rename(pathOf('gone.otlp.jsonl'), pathOf('elsewhere'));
  const isOpenNow = (path: string) => isOpen(path) || path === pathOf('opened.otlp.jsonl');
  expect(await binRecordings(doomed, isOpenNow, bin)).toEqual(new Map());
  expect(await binned()).toEqual(['old.otlp.jsonl']);
  expect(await left()).toEqual(['elsewhere', 'open.otlp.jsonl', 'opened.otlp.jsonl', 'written.otlp.jsonl']);
});

test('a bin that takes nothing loses nothing, and says why', async () => {
  const { all, now, left } = await recorded(AGES);
  const doomed = oldRecordings(await all(), { keepDays: 30, now, isOpen: closed });
  const refused = new Error('There is no bin here.');
  const failed = await binRecordings(doomed, closed, () => Promise.reject(refused));
  expect([...failed.values()]).toEqual([refused, refused]);
  expect(await left()).toHaveLength(4);
});

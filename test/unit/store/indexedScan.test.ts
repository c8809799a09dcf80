import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../../src/ports/log.js';
import { compileCriteria } from '../../../src/query/criteria.js';
import type { FilterCriteria } from '../../../src/query/filterCriteria.js';
import type { IndexedLines } from '../../../src/store/search/indexed/indexedLines.js';
import { IndexCache } from '../../../src/store/search/indexed/indexCache.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { saveIndex } from '../../../src/store/read/indexFile.js';
import { openLines } from '../../../src/store/read/openLines.js';
import { CONTROL_LENGTH, STOP } from '../../../src/store/search/scanQuestion.js';
import { scanIndexed } from '../../../src/store/search/scanIndexed.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { buildWorker } from '../../support/buildWorker.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

let scanScript: URL;
beforeAll(async () => {
  scanScript = await buildWorker('store/search/scan.worker.ts');
});

const never = new AbortController().signal;

/** A store with one conversation of so many records: every third says `Salt`, every hundredth a text of its own file. */
async function storeOf(records: number) {
  const made = await temporaryStore({ scanScript });
  const journal = await made.store.createConversation('c1');
  for (let at = 0; at < records; at++) {
    const text = at % 3 === 0 ? `Salt ${at}` : `Pepper ${at}`;
    journal.append(
      recordOf(
        at + 1,
        said(at % 100 === 99 ? `${'x'.repeat(60_000)}${text}` : text, at % 2 ? 'user' : 'assistant'),
      ),
    );
  }
  await journal.close();
  return { ...made, paths: pathsOf(made.root, 'c1') };
}

/** The positions at which criteria hold, of the records whose texts lie in the journal. */
async function naive(store: TranscriptStore, criteria: FilterCriteria): Promise<number[]> {
  const transcript = await store.openTranscript('c1');
  const compiled = compileCriteria(criteria);
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  return records.flatMap((record, at) => ('spill' in record || !compiled.matches(record) ? [] : [at]));
}

async function scanned(store: TranscriptStore, criteria: FilterCriteria): Promise<number[]> {
  const found: number[] = [];
  for await (const { positions } of store.scan('c1', criteria, never)) found.push(...positions);
  return found;
}

/** What a scan over lines finds, and how much of them is in their index then. */
async function scanLines(
  indexed: IndexedLines,
  criteria: FilterCriteria,
  room: (found: number[]) => boolean,
) {
  const control = new Int32Array(CONTROL_LENGTH);
  const found: number[] = [];
  for await (const { positions } of scanIndexed(indexed, criteria, 0, control, () => room(found)))
    found.push(...positions);
  return { found, held: indexed.index.size };
}

const questions: readonly FilterCriteria[] = [
  { content: 'SALT' },
  { content: 'Salt', matchCase: true },
  { content: '^Salt \\d*7$', regex: true },
  { role: 'user' },
  { role: 'user', content: 'pepper' },
];

const withoutFiles = (positions: readonly number[]) => positions.filter((position) => position % 100 !== 99);

test('a transcript that was made ready for it gives the answers of MessageQuery', async () => {
  const { store } = await storeOf(3_000);
  await store.prepareScan('c1');
  for (const criteria of questions) {
    expect(withoutFiles(await scanned(store, criteria))).toEqual(await naive(store, criteria));
  }
  // 99, 399, … say `Salt` at the end of a text that lies in a file of its own.
  expect(
    (await scanned(store, { content: 'salt' })).filter((position) => position % 100 === 99),
  ).toHaveLength(10);
});

test.each([
  ['nothing', () => false, 0],
  ['everything', () => true, 5_000],
])('the answers are the same where the index may hold %s', async (_, room, size) => {
  const { store, paths } = await storeOf(5_000);
  for (const criteria of questions) {
    const indexed = await new IndexCache(0).of(paths);
    const { found, held } = await scanLines(indexed, criteria, room);
    expect(withoutFiles(found)).toEqual(await naive(store, criteria));
    // A text is looked for among bytes while the index is not there.
    const isText = criteria.content !== undefined && !criteria.regex;
    expect(held).toBe(isText ? 0 : size);
  }
});

test('where the room ends in the middle, what the index lacks is looked through as bytes', async () => {
  const { store, paths } = await storeOf(5_000);
  const indexed = await new IndexCache(0).of(paths);
  const { found, held } = await scanLines(indexed, { role: 'user' }, (sofar) => sofar.length < 100);
  expect(withoutFiles(found)).toEqual(await naive(store, { role: 'user' }));
  expect(held).toBeGreaterThan(0);
});

test('indexes of other conversations make room for the one that is asked about', async () => {
  const { root, paths, store } = await storeOf(50);
  const journal = await store.createConversation('c2');
  journal.append(recordOf(1, said('Salt'), 'c2'));
  await journal.close();
  const kept = new IndexCache(1);
  const first = await kept.of(paths);
  const second = await kept.of(pathsOf(root, 'c2'));
  expect(kept.hasRoomFor(second)).toBe(false);
  expect(await kept.of(pathsOf(root, 'c2'))).toBe(second);
  expect(await kept.of(paths)).not.toBe(first);
});

test('a scan that is told to stop gives nothing more', async () => {
  const { paths } = await storeOf(3_000);
  const indexed = await new IndexCache(1e9).of(paths);
  const control = new Int32Array(CONTROL_LENGTH);
  let steps = 0;
  for await (const step of scanIndexed(indexed, { role: 'user' }, 0, control, () => true)) {
    expect(step.scanned).toBeGreaterThan(0);
    steps++;
    Atomics.store(control, STOP, 1);
  }
  expect(steps).toBe(1);
});

test('a journal that another program has changed is read anew', async () => {
  const { store, paths } = await storeOf(200);
  expect(await scanned(store, { content: 'salt 150' })).toEqual([150]);
  const lines = (await readFile(paths.segment(0), 'utf8')).split('\n');
  await writeFile(paths.segment(0), [lines[0], ...lines.slice(101)].join('\n'));
  expect(await scanned(store, { content: 'salt 150' })).toEqual([50]);
});

test('what comes while a person filters is found', async () => {
  const { store } = await storeOf(2_500);
  await store.prepareScan('c1');
  expect(await scanned(store, { content: 'nutmeg' })).toEqual([]);
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  resumed.journal.append({ ...recordOf(2_501, said('Nutmeg')), id: 'late' });
  await resumed.journal.flush();
  expect(await scanned(store, { content: 'nutmeg' })).toEqual([2_500]);
  expect(await scanned(store, { content: 'NUTMEG', role: 'assistant' })).toEqual([2_500]);
});

test('a pattern that never ends on a text in a file of its own is ended, in words, and the next scan works', async () => {
  const { store } = await temporaryStore({ scanScript });
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said(`${'a'.repeat(60_000)}b`)));
  await journal.close();
  await expect(scanned(store, { content: '(a+)+$', regex: true })).rejects.toThrow('takes too long');
  expect(await scanned(store, { content: 'a+b$', regex: true })).toEqual([0]);
});

test('a journal that cannot be read into its index leaves other questions alone, and is told of when it is asked about', async () => {
  const { store, paths, root } = await storeOf(50);
  const journal = await store.createConversation('c2');
  journal.append(recordOf(1, said('Salt'), 'c2'));
  await journal.close();
  // The kept index fits what stands there, so that nothing is opened before its records are read.
  await saveIndex(paths, { index: (await openLines(paths, silentLog)).index, stamps: [] });
  await rm(paths.segment(0));
  await symlink(join(root, 'nowhere'), paths.segment(0));
  await store.prepareScan('c1');
  const found = [];
  for await (const { positions } of store.scan('c2', { content: 'salt' }, never)) found.push(...positions);
  expect(found).toEqual([0]);
  await expect(scanned(store, { role: 'user' })).rejects.toThrow('is a link');
});

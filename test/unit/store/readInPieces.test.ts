import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { factsOf, plainFacts, type Facts } from '../../../src/query/numbers/facts.js';
import { silentLog } from '../../../src/core/ports/log.js';
import * as lineFormat from '../../../src/store/format/lineFormat.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { FactReader } from '../../../src/store/read/factReader.js';
import { openLines } from '../../../src/store/read/openLines.js';
import { readSpans } from '../../../src/store/read/readSpans.js';
import { SharedSource } from '../../../src/store/read/sharedSource.js';
import { readSource, sourceInPieces } from '../../../src/store/read/sourceTable.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';

/** Enough for several pieces of a megabyte, each of which ends in the middle of a line. */
const COUNT = 3_000;

/** A stored conversation of several megabytes, half of it in a second file. */
async function largeStore() {
  const { store, root } = await temporaryStore();
  const { records } = teamStory();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= COUNT; seq++) {
    const record =
      seq % 5 === 0 ? recordOf(seq, said(`${seq} `.repeat(500 + seq))) : records[seq % records.length]!;
    journal.append({ ...record, seq, id: `m_${seq}`, conversation: 'c1' });
  }
  await journal.flush();
  await journal.close();
  const paths = pathsOf(root, 'c1');
  const bytes = await readFile(paths.segment(0));
  const half = bytes.indexOf('\n', bytes.length >> 1) + 1;
  await writeFile(paths.segment(0), bytes.subarray(0, half));
  await writeFile(paths.segment(1), bytes.subarray(half));
  for (const cache of [paths.index, paths.columns]) await rm(cache, { force: true });
  return paths;
}

function readerOf(paths: ReturnType<typeof pathsOf>, source: SharedSource): FactReader {
  onTestFinished(() => source.dispose());
  return new FactReader({ paths, source, log: silentLog, readOnly: true });
}

/** All facts, asked for so many at a time, and how much was promised before each answer. */
async function inPieces(paths: ReturnType<typeof pathsOf>, atOnce: number) {
  const source = new SharedSource(await sourceInPieces(paths, silentLog, true), silentLog);
  const reader = readerOf(paths, source);
  const facts: Facts[] = [];
  const promised: number[] = [];
  for (let before = -1; before < facts.length;) {
    before = facts.length;
    promised.push(source.expected - before);
    facts.push(...(await reader.read(before, before + atOnce)));
  }
  return { facts: facts.map(plainFacts), promised, source };
}

test('what is read piece by piece is what is read at once, and never seems to be all before it is', async () => {
  const paths = await largeStore();
  // One line is damaged, and something follows that is not written to its end.
  const bytes = await readFile(paths.segment(0));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(paths.segment(0), bytes);
  await appendFile(paths.segment(0), '{"seq":');
  const { index, damaged } = await openLines(paths, silentLog);
  const truth = (await readSpans(paths, index, 0, index.size)).map(factsOf).map(plainFacts);
  expect(damaged.length).toBeGreaterThan(1);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2 * COUNT }), async (atOnce) => {
      const { facts, promised, source } = await inPieces(paths, Math.max(20, atOnce));
      expect(facts).toEqual(truth);
      expect(source.damaged).toEqual(damaged);
      expect(promised.slice(0, -1).every((more) => more > 0)).toBe(true);
      expect(promised.at(-1)).toBe(0);
    }),
    { numRuns: 4 },
  );
});

test('the first facts are there before the rest of a large journal is read', async () => {
  const paths = await largeStore();
  const source = new SharedSource(await sourceInPieces(paths, silentLog, true), silentLog);
  const reader = readerOf(paths, source);
  expect(await reader.read(0, 100)).toHaveLength(100);
  expect(source.length).toBeLessThan(COUNT / 2);
  const all = await readSource(paths, silentLog, true);
  // An estimate: lines differ in their lengths.
  expect(source.expected).toBeGreaterThan(all.length / 3);
  expect(source.expected).toBeLessThan(all.length * 3);
});

test('each line of a journal is checked once, however much is asked of it', async () => {
  const paths = await largeStore();
  const check = vi.spyOn(lineFormat, 'checkLine');
  onTestFinished(() => check.mockRestore());
  const { facts } = await inPieces(paths, 700);
  expect(facts).toHaveLength(COUNT);
  // The first rows may be read once more while columns are being loaded.
  expect(check.mock.calls.length).toBeLessThanOrEqual(COUNT + 100);
});

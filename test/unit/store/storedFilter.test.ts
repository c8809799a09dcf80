import { appendFile, rm, truncate, utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gramsOfLiteral } from '../../../src/query/language/grams.js';
import { allTextOf } from '../../../src/query/textTest.js';
import { SessionReader } from '../../../src/search/columns/readSession.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { stampsOf } from '../../../src/store/read/fileStamp.js';
import { saveSearchFile } from '../../../src/search/stored/columns/searchFile.js';
import { keptFilter } from '../../../src/search/stored/storedFilter.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { PRICES } from '../query/language/judge.js';

const WORDS = ['flour', 'sugar', 'butter'];
/** So many records of a word, each of less than is kept apart, come to more than one block. */
const OF_EACH = 110;
const textOf = (word: string) =>
  Array.from(
    { length: 1_100 },
    (_, at) => `${word} ${word}ed after the ${(at * 7_919) % 1_000} ${word}s\n`,
  ).join('');

/** A conversation of several blocks, which have other words, and the filter kept of it. */
async function keptConversation() {
  const { store, root } = await temporaryStore();
  const texts = WORDS.flatMap((word) => Array.from({ length: OF_EACH }, () => textOf(word)));
  const records = texts.map((text, at) => recordOf(at + 1, said(text)));
  await store.importConversation('c1', records);
  const paths = pathsOf(root, 'c1');
  const { columns } = await new SessionReader(paths, { prices: PRICES, mark: '' }).read(undefined);
  if (!columns) throw new Error('Nothing may be kept of it.');
  await saveSearchFile(paths.search, { stamps: await stampsOf(paths), columns });
  return { paths, records };
}

test('the filter beside a journal names the records that may have a text, and no block without it', async () => {
  const { paths, records } = await keptConversation();
  const filter = await keptFilter(paths);
  expect(filter?.length).toBe(records.length);
  const stretchesOf = (...literals: readonly string[]) =>
    filter?.stretchesOf([literals.map((literal) => gramsOfLiteral(literal, true))]) ?? [];
  for (const [at, word] of WORDS.entries()) {
    const [first, last] = [at * OF_EACH, (at + 1) * OF_EACH - 1];
    expect(allTextOf(records[first])).toContain(`${word}ed after`);
    const [stretch, ...others] = stretchesOf(`${word}ed after`);
    expect(others).toEqual([]);
    expect(stretch?.from).toBeLessThanOrEqual(first);
    expect(stretch?.to).toBeGreaterThan(last);
    expect((stretch?.to ?? 0) - (stretch?.from ?? 0)).toBeLessThan(records.length);
  }
  expect(stretchesOf('floured after', 'buttered').at(-1)?.to).toBe(records.length);
  expect(stretchesOf('after sugared')).toEqual([]);
  expect(stretchesOf('zucchini')).toEqual([]);
  expect(stretchesOf('?')).toEqual([{ from: 0, to: records.length }]);
  const grams = ['flour', 'butter'].map((word) => [gramsOfLiteral(`${word}ed after`, true)]);
  expect(filter?.stretchesOf(grams)).toEqual([]);
  expect(filter?.stretchesOf(grams.slice(0, 1))).not.toEqual([]);
}, 30_000);

test('it is of the first records of a journal that has grown, and of none that is another', async () => {
  const { paths, records } = await keptConversation();
  await appendFile(
    paths.segment(0),
    Buffer.concat([encodeLine(recordOf(records.length + 1, said('more'))), Buffer.from('\n')]),
  );
  expect((await keptFilter(paths))?.length).toBe(records.length);
  await truncate(paths.segment(0), 1_000);
  expect(await keptFilter(paths)).toBeUndefined();
  await rm(paths.search);
  expect(await keptFilter(paths)).toBeUndefined();
}, 30_000);

test('a journal that was touched is read again', async () => {
  const { paths } = await keptConversation();
  await utimes(paths.segment(0), 1_000, 1_000);
  expect(await keptFilter(paths)).toBeUndefined();
}, 30_000);

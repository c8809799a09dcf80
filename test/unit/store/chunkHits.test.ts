import { expect, test } from 'vitest';
import { ChunkHits } from '../../../src/search/stored/indexed/transcriptIndex.js';
import { TextChunks } from '../../../src/search/stored/indexed/textChunks.js';
import type { TextSearch } from '../../../src/search/stored/indexed/textSearch.js';

/** A pattern's search that takes so many milliseconds for each text and finds all of them. */
function slowSearch(milliseconds: number): TextSearch {
  const test = () => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return true;
  };
  return { findIn: undefined, part: 'all', isExact: false, test, isRisky: true, needsItem: false };
}

function hitsOf(search: TextSearch, count: number): ChunkHits {
  const texts = new TextChunks();
  for (let at = 0; at < count; at++) texts.add(`text ${at}`);
  const [chunk] = texts.all();
  if (!chunk) throw new Error('no chunk');
  return new ChunkHits(
    chunk,
    search,
    Uint32Array.from({ length: count }, (_, at) => at),
  );
}

test('a slice of the time ends after the first test that uses it up, so that slow tests are not taken for a stuck one', () => {
  const hits = hitsOf(slowSearch(20), 20);
  expect(hits.goOn()).toBe(true);
  expect([...hits.take().positions]).toEqual([0]);
  while (hits.goOn());
  expect(hits.take().positions).toHaveLength(19);
});

test('a look that the machine held up is done again, and finds everything once', () => {
  let calls = 0;
  const heldUpOnce = () => {
    calls++;
    while (calls === 3);
    return true;
  };
  const hits = hitsOf({ ...slowSearch(0), test: heldUpOnce }, 5);
  while (hits.goOn());
  expect([...hits.take().positions]).toEqual([0, 1, 2, 3, 4]);
});

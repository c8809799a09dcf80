import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLine } from '../../../src/store/format/lineFormat.js';
import { depthOf, MAX_DEPTH, nestsDeeper } from '../../../src/store/format/jsonDepth.js';

/** What a line that is an object around so many nested lists is read as. */
function read(lists: number, padding: number) {
  const text = `{"pad":"${'p'.repeat(padding)}","value":${'['.repeat(lists)}${']'.repeat(lists)}}`;
  return parseLine(Buffer.from(text));
}

test('a parsed value nests as deep as its text does', () => {
  const texts = fc.oneof(fc.json({ maxDepth: 8 }), fc.constantFrom('{}', '[]', '{"__proto__":[{"a":[]}]}'));
  fc.assert(
    fc.property(texts, fc.nat(10), (text, levels) => {
      // A key that comes twice keeps its last value alone; the text counts both.
      const clean = JSON.stringify(JSON.parse(text));
      expect(nestsDeeper(JSON.parse(clean), levels)).toBe(depthOf(Buffer.from(clean)) > levels);
    }),
  );
});

test.each([10, 2 * 1024 * 1024])(
  'lines of %i bytes and more are refused from the same depth on',
  (padding) => {
    expect(read(MAX_DEPTH - 1, padding)).toHaveProperty('value');
    expect(read(MAX_DEPTH, padding)).toEqual({ why: `nested deeper than ${MAX_DEPTH} levels` });
    expect(read(100_000, padding)).toEqual({ why: `nested deeper than ${MAX_DEPTH} levels` });
  },
);

test.each([10, 2 * 1024 * 1024])('a deep line of %i bytes that is no JSON is called deep', (padding) => {
  const line = Buffer.from(`{"pad":"${'p'.repeat(padding)}","value":${'['.repeat(300)}`);
  expect(parseLine(line)).toEqual({ why: `nested deeper than ${MAX_DEPTH} levels` });
});

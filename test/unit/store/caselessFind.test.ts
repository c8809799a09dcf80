import fc from 'fast-check';
import { expect, test } from 'vitest';
import { caselessFind } from '../../../src/search/stored/indexed/caselessFind.js';
import { runs } from '../../support/fixedInputs.js';

/** Where a literal ends in a text each time that it begins there, by comparing it at every place. */
function everyEnd(text: string, literal: string): number[] {
  const lower = text.toLowerCase();
  const isHere = (_: unknown, at: number) => lower.startsWith(literal.toLowerCase(), at);
  return Array.from(lower, isHere).flatMap((isFound, at) => (isFound ? [at + literal.length - 1] : []));
}

/** The same as it is found, asked on from the place behind each beginning. */
function found(text: string, literal: string): number[] {
  const find = caselessFind(text, literal);
  const ends: number[] = [];
  for (let end = find(0); end >= 0; end = find(end - literal.length + 2)) ends.push(end);
  return ends;
}

/** Text of few letters, in which others are rare, or all are frequent. */
const texts = fc
  .array(fc.constantFrom('e'.repeat(400), 'ee', 'e', 'E', 'k', 'K', 'ek', '.', '[', 'é', '\xff'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));
const literals = fc
  .array(fc.constantFrom('e', 'E', 'k', 'K', '.', '['), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));

test('a literal is found wherever it stands, whatever its case and however rare its letters are', () => {
  fc.assert(
    fc.property(texts, literals, (text, literal) => {
      expect(found(text, literal)).toEqual(everyEnd(text, literal));
    }),
    { numRuns: runs(3000) },
  );
});

test('places may be skipped, and the end of the text may be asked for', () => {
  const text = `Kiwi ${'e'.repeat(1_000)} kiwi ${'e'.repeat(1_000)} KIWI`;
  const find = caselessFind(text, 'kiwi');
  expect([find(0), find(1), find(1_500), find(text.length)]).toEqual([3, 1_009, text.length - 1, -1]);
});

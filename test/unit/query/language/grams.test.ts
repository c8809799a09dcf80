import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eachGram, gramsOfLiteral, gramsText } from '../../../../src/query/language/grams.js';
import { runs } from '../../../support/fixedInputs.js';

const gramsIn = (text: string): ReadonlySet<number> => {
  const grams = new Set<number>();
  eachGram(gramsText(text), (gram) => void grams.add(gram));
  return grams;
};

const words = [
  'salt',
  'of',
  'a',
  'the',
  'Pepper',
  'mill',
  'ΟΔΟΣ',
  'ß',
  'éclair',
  'x1',
  'ſalt',
  'İ',
  '\u212a',
  '🥒',
];
const text = fc
  .array(fc.constantFrom(...words, ' ', ' ', '  ', '\n', '-', '.', '",', '": "', '  // ', '\t\t\t\t', '_'), {
    maxLength: 24,
  })
  .map((parts) => parts.join(''));

test('a text has the grams of every part of it, in its own letter case and in any', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat({ max: 40 }), (whole, at, length) => {
      const from = whole === '' ? 0 : at % whole.length;
      const part = whole.slice(from, from + length);
      const grams = gramsIn(whole);
      for (const gram of gramsOfLiteral(part, false)) expect(grams.has(gram)).toBe(true);
      // What ignores case looks at both in lower case, where a letter may become another by what stands beside it.
      if (gramsText(whole).includes(part.toLowerCase()))
        for (const gram of gramsOfLiteral(part, true)) expect(grams.has(gram)).toBe(true);
    }),
    { numRuns: runs(3_000) },
  );
});

test.each([
  ['tried after', 'after it was tried'],
  ['tried after', 'tried-after'],
  ['tried after', 'tried   after'],
  ['tried after', 'tried\nafter'],
  ['a of the b', 'a of b, the b'],
])('words side by side are told from words elsewhere: %j is not in %j', (asked, said) => {
  const grams = gramsIn(said);
  expect(gramsOfLiteral(asked, true).every((gram) => grams.has(gram))).toBe(false);
});

test.each([
  ['tried after', 'it was retried afterwards'],
  ['f (x) =>', 'const f (x) => y'],
  ['a of the b', 'area of the book'],
])('what stands at the ends of a text may go on: %j may be in %j', (asked, said) => {
  const grams = gramsIn(said);
  expect(gramsOfLiteral(asked, true).every((gram) => grams.has(gram))).toBe(true);
});

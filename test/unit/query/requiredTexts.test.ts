import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requiredLiteral, requiredTexts } from '../../../src/query/requiredTexts.js';
import { runs } from '../../support/fixedInputs.js';

test.each([
  ['Quetz\\w+atl', 'Quetz'],
  ['error .*refused', 'refused'],
  ['ab+cd', 'bcd'],
  ['abc?de', 'ab'],
  ['abx{0,2}cdef', 'cdef'],
  ['x{2}abc', 'xabc'],
  ['(?:one|two) three', ' three'],
  ['(?!not)this', 'this'],
  ['[)|(]salt', 'salt'],
  ['\\(salt\\)', '(salt)'],
  ['grün salt', 'n salt'],
  ['salt|pepper', undefined],
  ['\\x41salt', 'salt'],
  ['\\u{1F952}salt', 'salt'],
  ['(a)\\1salt', 'salt'],
  ['salt\\bpan', 'saltpan'],
  ['((salt)pan)+', 'saltpan'],
  ['\\d+', undefined],
  ['a', undefined],
])('all that /%s/ matches holds %j', (source, literal) => {
  expect(requiredLiteral(new RegExp(source, 'u'))).toBe(literal);
});

test.each([
  ['salt|pepper', [['salt'], ['pepper']]],
  ['(?:salt|pepper) mill', [['salt mill'], ['pepper mill']]],
  [
    'salt .* (?:mill|pot)',
    [
      ['salt ', ' mill'],
      ['salt ', ' pot'],
    ],
  ],
  ['colou?r', [['colour'], ['color']]],
  ['[sm]alt', [['salt'], ['malt']]],
  ['salt(?:\\d|pepper)', [['salt']]],
  ['salt|.', undefined],
  ['(?:salt)?', undefined],
  ['(?:salt)+er', [['salt', 'salter']]],
  ['[a-z]salt', [['salt']]],
  ['(?:a|b|c|d)(?:e|f|g|h|i)salt', [['esalt'], ['fsalt'], ['gsalt'], ['hsalt'], ['isalt']]],
])('the ways to meet /%s/ need %j', (source, ways) => {
  expect(
    requiredTexts(new RegExp(source, 'u'))?.map((texts) => texts.filter((text) => text.length > 3)),
  ).toEqual(ways);
});

test('a pattern that is long, deep or of many ways is read in time', () => {
  for (const source of [
    '(ab|cd)'.repeat(2_000),
    '(?:'.repeat(3_000) + 'ab' + ')'.repeat(3_000),
    'ab.'.repeat(3_000),
  ])
    expect(() => requiredTexts(new RegExp(source, 'u'))).not.toThrow();
});

test('a pattern with classes in classes has none', () => {
  expect(requiredLiteral(new RegExp('[a[b]]salt', 'v'))).toBeUndefined();
});

const piece = fc.constantFrom(
  'a',
  'b',
  's',
  'k',
  'ſ',
  '\u212a',
  'é',
  '\\.',
  '.',
  '\\w',
  '[ab]',
  '[^k]',
  '(?:ab|s)',
  '(?=a)',
  '(b)',
  '\\b',
  '^',
  '🥒',
  '(?:ab|k|)',
  '(?<!a)',
  'ak',
  '\\x61',
  '|',
);
const quantified = fc
  .tuple(piece, fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,1}', '+?'))
  .map((parts) => parts.join(''));
const source = fc.array(quantified, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));

test('no text that a pattern matches lacks its literal, or what is required in all ways to match it', () => {
  const text = fc
    .array(fc.constantFrom(...Array.from('abskABSKſ\u212aé.🥒')), { maxLength: 12 })
    .map((chars) => chars.join(''));
  const folded = (each: string) => each.toLowerCase().replaceAll('ſ', 's');
  fc.assert(
    fc.property(source, text, fc.constantFrom('', 'u', 'iu', 'i'), (wanted, said, flags) => {
      let pattern: RegExp;
      try {
        pattern = new RegExp(wanted, flags);
      } catch {
        return; // Some of what is put together is no pattern.
      }
      if (!pattern.test(said)) return;
      const has = (needed: string) =>
        pattern.ignoreCase ? folded(said).includes(folded(needed)) : said.includes(needed);
      const literal = requiredLiteral(pattern);
      expect(literal === undefined || has(literal)).toBe(true);
      const ways = requiredTexts(pattern);
      expect(ways?.some((texts) => texts.every(has)) ?? true).toBe(true);
    }),
    { numRuns: runs(3000) },
  );
});

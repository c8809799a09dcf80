import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requiredLiteral } from '../../../src/query/requiredLiteral.js';

test.each([
  ['Quetz\\w+atl', 'Quetz'],
  ['error .*refused', 'refused'],
  ['ab+cd', 'ab'],
  ['abc?de', 'ab'],
  ['abx{0,2}cdef', 'cdef'],
  ['x{2}abc', 'abc'],
  ['(?:one|two) three', ' three'],
  ['(?!not)this', 'this'],
  ['[)|(]salt', 'salt'],
  ['\\(salt\\)', '(salt)'],
  ['grün salt', 'n salt'],
  ['salt|pepper', undefined],
  ['\\x41salt', undefined],
  ['\\u{1F952}salt', undefined],
  ['(a)\\1salt', undefined],
  ['\\d+', undefined],
  ['a', undefined],
])('all that /%s/ matches holds %j', (source, literal) => {
  expect(requiredLiteral(new RegExp(source, 'u'))).toBe(literal);
});

test('a pattern with classes in classes has none', () => {
  expect(requiredLiteral(new RegExp('[a[b]]salt', 'v'))).toBeUndefined();
});

const piece = fc.constantFrom(
  ...[
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
  ],
);
const quantified = fc
  .tuple(piece, fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,1}', '+?'))
  .map((parts) => parts.join(''));
const source = fc.array(quantified, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));

test('no text that a pattern matches lacks its literal', () => {
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
      const literal = requiredLiteral(pattern);
      if (literal === undefined || !pattern.test(said)) return;
      expect(pattern.ignoreCase ? folded(said) : said).toContain(
        pattern.ignoreCase ? folded(literal) : literal,
      );
    }),
    { numRuns: 3000 },
  );
});

import { expect, test } from 'vitest';
import { preview, singleLine } from '../../../src/core/text.js';

test.each([
  ['a text at the limit is left as it is', 'x'.repeat(200), 'x'.repeat(200)],
  ['a text over the limit is cut and marked', 'x'.repeat(201), `${'x'.repeat(200)}...`],
  ['an emoji at the border counts as one and stays whole', `${'x'.repeat(199)}🥒`, `${'x'.repeat(199)}🥒`],
  ['an emoji behind the border goes as a whole', `${'x'.repeat(200)}🥒`, `${'x'.repeat(200)}...`],
])('preview: %s', (_, text, expected) => {
  expect(preview(text)).toBe(expected);
});

test('singleLine folds line ends and controls into one space', () => {
  expect(singleLine(' a\r\n\tb\u0007c ')).toBe('a b c');
});

import { expect, test } from 'vitest';
import { messageOf, preview, singleLine } from '../../../src/core/text.js';

test.each([
  ['a text at the limit is left as it is', 'x'.repeat(200), 'x'.repeat(200)],
  ['a text over the limit is cut and marked', 'x'.repeat(201), `${'x'.repeat(200)}...`],
  ['an emoji at the border counts as one and stays whole', `${'x'.repeat(199)}🥒`, `${'x'.repeat(199)}🥒`],
  ['an emoji behind the border goes as a whole', `${'x'.repeat(200)}🥒`, `${'x'.repeat(200)}...`],
])('preview: %s', (_, text, expected) => {
  expect(preview(text)).toBe(expected);
});

test('singleLine leaves nothing of what steers a terminal, so that a key in two colours stays one word', () => {
  expect(singleLine('TOK \u001b[01;31m\u001b[Kghp_\u001b[m\u001b[Kabc\n\u001b]0;title\u0007end')).toBe(
    'TOK ghp_abc end',
  );
});

test('singleLine folds line ends and controls into one space', () => {
  expect(singleLine(' a\r\n\tb\u0007c ')).toBe('a b c');
});

/** Throws whatever is done with it. */
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('looked at');
    },
    getPrototypeOf: () => {
      throw new Error('looked at');
    },
  },
);

test.each<[string, unknown, string]>([
  ['an error', new TypeError('no such thing'), 'no such thing'],
  ['a text', 'just words', 'just words'],
  ['nothing', undefined, 'undefined'],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['an object that speaks like an error', { message: 'from afar' }, 'from afar'],
  ['an object without a text', Object.create(null), 'an error that says nothing of itself'],
  ['an object that throws when looked at', hostile, 'an error that says nothing of itself'],
])('messageOf: %s has words', (_, thrown, words) => {
  expect(messageOf(thrown)).toBe(words);
});

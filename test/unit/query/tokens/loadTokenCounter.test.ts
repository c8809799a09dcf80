import { expect, test } from 'vitest';
import { loadTokenCounter } from '../../../../src/query/tokens/loadTokenCounter.js';

test.each([
  ['o200k_base', 6],
  ['cl100k_base', 8],
] as const)('%s counts with its own ranks', async (encoding, tokens) => {
  const counter = await loadTokenCounter(encoding);
  expect(counter.count('Pickles für alle, सब')).toBe(tokens);
});

test('a content that is known counts the same again', async () => {
  const counter = await loadTokenCounter('o200k_base');
  const text = 'a long story about cucumbers '.repeat(20);
  expect(counter.count(text)).toBe(counter.count(text.slice(0, 100) + text.slice(100)));
});

import { expect, test } from 'vitest';
import { CountCache } from '../../../../src/query/tokens/loadTokenCounter.js';

function counted() {
  const asked: string[] = [];
  const cache = new CountCache((text) => {
    asked.push(text.slice(0, 1));
    return text.length;
  });
  return { cache, asked };
}

test('a content is counted once', () => {
  const { cache, asked } = counted();
  expect(cache.count('a'.repeat(500))).toBe(500);
  expect(cache.count('a'.repeat(250) + 'a'.repeat(250))).toBe(500);
  expect(asked).toEqual(['a']);
});

test('a short text is not kept', () => {
  const { cache, asked } = counted();
  cache.count('b');
  cache.count('b');
  expect(asked).toEqual(['b', 'b']);
});

test('the text that was asked for longest ago makes room', () => {
  const { cache, asked } = counted();
  const text = (name: string) => name.repeat(1024 * 1024);
  for (const name of ['a', 'b', 'c', 'd', 'a', 'e', 'a', 'c', 'b']) cache.count(text(name));
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
});

test('a text that is too long to keep pushes nothing out', () => {
  const { cache, asked } = counted();
  cache.count('a'.repeat(500));
  cache.count('b'.repeat(5 * 1024 * 1024));
  cache.count('a'.repeat(500));
  expect(asked).toEqual(['a', 'b']);
});

test('a count that throws is tried again', () => {
  let broken = true;
  const cache = new CountCache((text) => {
    if (broken) throw new Error('no memory');
    return text.length;
  });
  expect(() => cache.count('a'.repeat(500))).toThrow('no memory');
  broken = false;
  expect(cache.count('a'.repeat(500))).toBe(500);
});

import { expect, test } from 'vitest';
import { newId } from '../../../src/core/ids.js';

test('an id says what it is and has 32 hexadecimal digits', () => {
  expect(newId('run')).toMatch(/^r_[0-9a-f]{32}$/);
  expect(newId('message')).toMatch(/^m_[0-9a-f]{32}$/);
});

test('no id comes twice, also beyond the random bytes that are fetched at once', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('call'));
  expect(new Set(ids).size).toBe(ids.length);
});

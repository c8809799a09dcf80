import { expect, test } from 'vitest';
import { isConversationId, newConversationId, newId } from '../../../src/core/ids.js';

test('an id says what it is and has 32 hexadecimal digits', () => {
  expect(newId('run')).toMatch(/^r_[0-9a-f]{32}$/);
  expect(newId('message')).toMatch(/^m_[0-9a-f]{32}$/);
});

test('no id comes twice, also beyond the random bytes that are fetched at once', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('call'));
  expect(new Set(ids).size).toBe(ids.length);
});

test('an id of a conversation is known by its form', () => {
  const id = newConversationId(Date.UTC(2026, 10, 21));
  expect(isConversationId(id)).toBe(true);
  expect([`${id}0`, ` ${id}`, id.toUpperCase().replace(/\d$/, 'G'), ''].map(isConversationId)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

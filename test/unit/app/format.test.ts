import { expect, test } from 'vitest';
import { formatCount, formatShortMoment, formatDay, formatTokens } from '../../../src/app/text/format.js';

test('counts and tokens read as people write them', () => {
  expect(formatCount(1, 'message')).toBe('1 message');
  expect(formatCount(12405, 'message')).toBe('12,405 messages');
  expect([999, 1200, 41_230, 3_400_000].map((tokens) => formatTokens(tokens, false))).toEqual([
    '999 tokens',
    '1.2k tokens',
    '41k tokens',
    '3.4M tokens',
  ]);
  expect(formatTokens(1200, true)).toBe('≈ 1.2k tokens');
  expect(formatTokens(1, true)).toBe('≈ 1 token');
  expect(formatTokens(0, true)).toBe('');
});

test('days are named while they are near', () => {
  const now = new Date(2026, 10, 21, 9).getTime();
  expect(formatDay(new Date(2026, 10, 21, 1).getTime(), now)).toBe('Today');
  expect(formatDay(new Date(2026, 10, 20, 23).getTime(), now)).toBe('Yesterday');
  expect(formatDay(new Date(2026, 10, 1).getTime(), now)).toBe('Sun, 1 November 2026');
});

test('a short moment says as much of its date as is needed', () => {
  const now = new Date(2026, 10, 21, 12).getTime();
  const said = [
    [2026, 10, 21, 9, 5],
    [2026, 10, 20, 9, 5],
    [2025, 10, 21, 9, 5],
  ].map(([year = 0, month = 0, day, hour, minute]) =>
    formatShortMoment(new Date(year, month, day, hour, minute).getTime(), now),
  );
  expect(said).toEqual(['09:05', '20 Nov, 09:05', '21 Nov 2025']);
  expect(formatShortMoment(0, now)).toBe('');
});

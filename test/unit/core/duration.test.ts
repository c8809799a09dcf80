import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/core/duration.js';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [999.7, '1.0 s'],
  [1_234, '1.2 s'],
  [9_960, '10 s'],
  [12_345, '12 s'],
  [59_700, '1 min 00 s'],
  [299_700, '5 min 00 s'],
  [3_660_000, '1 h 01 min'],
  [90_000_000_000, '25,000 h 00 min'],
])('%f milliseconds are %s', (ms, words) => expect(formatDuration(ms)).toBe(words));

import { describe, expect, it } from 'vitest';
import { elapsedWords, TimeAxis } from '../../../webview/views/timeAxis.js';

describe('a time axis with pauses', () => {
  const axis = new TimeAxis([
    { start: 1_000, end: 101_000, drawn: 100 },
    { start: 102_000, end: 202_000, drawn: 100 },
  ]);

  it.each([
    [500, 500],
    [1_000, 1_000],
    [51_000, 1_050],
    [101_000, 1_100],
    [101_500, 1_600],
    [202_000, 2_200],
    [203_000, 3_200],
  ])('draws %i at %i, and finds it there again', (time, position) => {
    expect(axis.drawn(time)).toBe(position);
    expect(axis.time(position)).toBe(time);
  });

  it('has no marks within a pause, and goes on with them behind it', () => {
    const marks = axis.marks({ from: 0, to: 203_000 }, 0, 640);
    expect(marks.map(({ words }) => words)).toEqual([
      '0',
      '+1 s',
      '+1 min 41 s',
      '+1 min 42 s',
      '+3 min 22 s',
      '+3 min 23 s',
    ]);
  });
});

describe('a time since the beginning, in words', () => {
  it.each([
    [0, 1_000, '0'],
    [20, 20, '+20 ms'],
    [1_020, 20, '+1.020 s'],
    [2_500, 500, '+2.5 s'],
    [90_000, 30_000, '+1 min 30 s'],
    [1_800_000, 1_800_000, '+30 min'],
    [90_000_000, 21_600_000, '+1 d 1 h'],
  ])('of %i ms, with marks %i ms apart, is %s', (ms, step, words) => {
    expect(elapsedWords(ms, step)).toBe(words);
  });
});

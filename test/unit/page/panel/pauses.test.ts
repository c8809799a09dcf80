import { expect, it } from 'vitest';
import { hiddenWithin, pausesBetween } from '../../../../src/page/panel/projection/pauses.js';

const MINUTE = 60_000;

/** Stretches of work from and to these minutes. */
function worked(...stretches: readonly (readonly [number, number])[]) {
  return stretches.map(([start, end]) => ({ start: start * MINUTE, end: end * MINUTE }));
}

/** The pauses between stretches, in minutes. */
function pausesOf(...stretches: readonly (readonly [number, number])[]) {
  return pausesBetween(worked(...stretches)).map(({ start, end, drawn }) =>
    [start, end, drawn].map((ms) => ms / MINUTE),
  );
}

it('finds where nobody worked for long, and leaves short waits as they are', () => {
  expect(pausesOf([0, 6], [7, 12], [200, 201])).toEqual([[12, 200, 1]]);
});

it('sees no pause where anybody worked, in whatever order the stretches come', () => {
  expect(pausesOf([100, 112], [0, 30], [20, 100])).toEqual([]);
});

it('draws many pauses as half of the work at most', () => {
  const days = Array.from({ length: 60 }, (_, day) => [day * 1_440, day * 1_440 + 10] as const);
  const pauses = pausesOf(...days);
  expect(pauses).toHaveLength(59);
  expect(pauses.reduce((sum, [, , drawn = 0]) => sum + drawn, 0)).toBeCloseTo(300);
});

it('finds none where nothing took any time', () => {
  expect(pausesOf([5, 5], [900, 900])).toEqual([]);
  expect(pausesOf()).toEqual([]);
});

it('knows how much of a part of the axis is not drawn', () => {
  const pauses = pausesBetween(worked([0, 6], [106, 112]));
  expect(hiddenWithin(pauses, 0, 112 * MINUTE) / MINUTE).toBeCloseTo(99);
  expect(hiddenWithin(pauses, 56 * MINUTE, 112 * MINUTE) / MINUTE).toBeCloseTo(49.5);
  expect(hiddenWithin(pauses, 0, 6 * MINUTE)).toBe(0);
});

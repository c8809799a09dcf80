import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ESTIMATE, RowHeights } from '../../../webview/rowHeights.js';

const ROWS = 5_000;

/** Heights of some rows, and those of all rows as a plain list. */
function measured(some: readonly (readonly [number, number])[]) {
  const heights = new RowHeights();
  const all = new Array<number>(ROWS).fill(ESTIMATE);
  for (const [row, height] of some) {
    heights.set(row, height);
    all[row] = height;
  }
  return { heights, all };
}

const some = fc.array(fc.tuple(fc.nat(ROWS - 1), fc.integer({ min: 1, max: 4_000 })), { maxLength: 60 });
const sum = (heights: readonly number[]) => heights.reduce((total, height) => total + height, 0);

it('a row begins where all those before it end', () => {
  fc.assert(
    fc.property(some, fc.nat(ROWS), (drawn, row) => {
      const { heights, all } = measured(drawn);
      expect(heights.before(row)).toBe(sum(all.slice(0, row)));
    }),
  );
});

it('the row at a height is the one that covers it', () => {
  fc.assert(
    fc.property(some, fc.nat(ROWS * ESTIMATE), (drawn, offset) => {
      const { heights, all } = measured(drawn);
      const row = heights.at(offset, ROWS);
      expect(heights.before(row)).toBeLessThanOrEqual(offset);
      if (offset < sum(all)) expect(heights.before(row + 1)).toBeGreaterThan(offset);
      else expect(row).toBe(ROWS - 1);
    }),
  );
});

it('heights go where their rows go', () => {
  const { heights } = measured([
    [10, 100],
    [20, 200],
    [3_000, 300],
  ]);
  heights.shift([{ at: 15, removed: 10, inserted: 1_500 }]);
  expect([10, 20, 1_510, 4_490].map((row) => heights.measured(row))).toEqual([
    100,
    undefined,
    undefined,
    300,
  ]);
  expect(heights.before(5_000)).toBe(5_000 * ESTIMATE + (100 - ESTIMATE) + (300 - ESTIMATE));
});

it('a row that goes to before the first one is none of the list any more', () => {
  const { heights } = measured([
    [5, 1_000],
    [30, 100],
  ]);
  heights.shift([{ at: -50, removed: 20, inserted: 0 }]);
  expect(heights.before(11)).toBe(11 * ESTIMATE + (100 - ESTIMATE));
  expect(heights.before(10)).toBe(10 * ESTIMATE);
});

it('a list without rows has none at any height', () => {
  expect(new RowHeights().at(500, 0)).toBe(0);
  expect(new RowHeights().at(-8, 3)).toBe(0);
});

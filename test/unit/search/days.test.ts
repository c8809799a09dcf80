import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayOf } from '../../../src/query/language/amounts.js';
import { Days } from '../../../src/search/days.js';
import { runs } from '../../support/fixedInputs.js';

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Cairo'];
const MINUTE = 60_000;
/** Twenty years, in which clocks were set and Apia left out a day. */
const moments = fc.integer({ min: Date.UTC(2008, 0, 1) / MINUTE, max: Date.UTC(2028, 0, 1) / MINUTE });

test('a day that was asked for before is the one that the calendar tells', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      moments,
      fc.array(fc.integer({ min: -3_000, max: 3_000 })),
      (zone, at, near) => {
        for (const minutes of [0, ...near]) {
          const moment = (at + minutes) * MINUTE;
          expect(Days.of(zone).of(moment)).toBe(dayOf(moment, zone));
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

test.each([
  ['2026-11-21', Date.UTC(2026, 10, 20, 23), Date.UTC(2026, 10, 21, 23)],
  ['2026-10-25', Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23)],
])('the %s of Berlin begins and ends where its clocks say', (day, from, to) => {
  expect(Days.of('Europe/Berlin').stretch(day)).toEqual({ from, to });
});

test('a month ends where the next one begins, at the end of a year too', () => {
  expect(Days.of('UTC').month('2026-12-31')).toEqual({
    from: Date.UTC(2026, 11, 1),
    to: Date.UTC(2027, 0, 1),
  });
});

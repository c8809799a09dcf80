import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addCosts,
  costOf,
  explainCost,
  formatCost,
  formatCostShortly,
  knownAmount,
  NO_COST,
  PROVENANCES,
  provenanceOf,
  requestsOf,
  UNKNOWN_COST,
  type Cost,
  type RequestCost,
} from '../../../src/core/cost.js';
import { dollars, formatMoney, MAX_MONEY, NO_MONEY, type NanoDollars } from '../../../src/core/money.js';

describe('a cost', () => {
  test('of several requests is the sum of its parts in any grouping', () => {
    fc.assert(
      fc.property(fc.array(anyCost), fc.nat(), (requests, where) => {
        const at = requests.length === 0 ? 0 : where % requests.length;
        const grouped = addCosts(sumOf(requests.slice(at)), sumOf(requests.slice(0, at)));
        expect(grouped).toEqual(sumOf(requests));
        expect(requestsOf(grouped)).toBe(requests.length);
      }),
    );
  });

  test('never becomes surer by adding', () => {
    fc.assert(
      fc.property(fc.array(anyCost, { minLength: 1 }), fc.array(anyCost), (some, more) => {
        const before = rank(sumOf(some));
        expect(rank(sumOf([...some, ...more]))).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test('never becomes less by adding', () => {
    fc.assert(
      fc.property(fc.array(anyCost), anyCost, (some, one) => {
        expect(knownAmount(sumOf([...some, one]))).toBeGreaterThanOrEqual(knownAmount(sumOf(some)));
      }),
    );
  });

  test('reads as at least so much, where parts are unknown', () => {
    expect(formatCost(sumOf([priced(1.2), UNKNOWN_COST, UNKNOWN_COST]))).toBe('≥ $1.20, 2 of 3 unknown');
    expect(formatCostShortly(sumOf([priced(1.2), UNKNOWN_COST]))).toBe('≥ $1.20');
    for (const format of [formatCost, formatCostShortly])
      expect(format(sumOf([UNKNOWN_COST]))).toBe('cost unknown');
    expect(formatCost(sumOf([exact(2), priced(1.2)]))).toBe('$3.20');
    expect(formatCost(sumOf([exact(2), { provenance: 'estimated', amount: nano(1) }]))).toBe('≈ $2.00');
    expect(formatCost(NO_COST)).toBe('');
  });

  test('says what it is made of', () => {
    expect(explainCost(sumOf([exact(2), priced(1), priced(0.5), UNKNOWN_COST]))).toBe(
      '$2.00 recorded by the source (1 request). $1.50 recorded tokens times dated prices (2 requests). ' +
        '1 request of unknown cost: no usage was recorded.',
    );
  });
});

describe('money', () => {
  test.each([
    [0, '$0'],
    [1e-9, '$0.000000001'],
    [0.000_42, '$0.00042'],
    [0.0049, '$0.0049'],
    [0.05, '$0.05'],
    [0.374, '$0.37'],
    [0.999, '$1.00'],
    [16.32, '$16.32'],
    [33_780, '$33,780.00'],
  ])('of %d dollars is shown as %s', (value, shown) => {
    expect(formatMoney(dollars(value) ?? NO_MONEY)).toBe(shown);
  });

  test('is whole, and what is more than nothing is never nothing', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (value) => {
        const amount = dollars(value);
        expect(Number.isSafeInteger(amount)).toBe(true);
        expect(amount === 0).toBe(value === 0);
        expect(formatMoney(amount ?? NO_MONEY) === '$0').toBe(value === 0);
      }),
    );
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined])('is not %s', (value) => {
    expect(dollars(value)).toBeUndefined();
  });
});

const nano = (amount: number) => amount as NanoDollars;
const exact = (value: number): RequestCost => ({ provenance: 'exact', amount: nano(value * 1e9) });
const priced = (value: number): RequestCost => ({ provenance: 'priced', amount: nano(value * 1e9) });

const anyCost: fc.Arbitrary<RequestCost> = fc
  .tuple(fc.constantFrom(...PROVENANCES), fc.oneof(fc.nat(), fc.nat({ max: MAX_MONEY })))
  .map(([provenance, amount]) =>
    provenance === 'unknown' ? UNKNOWN_COST : { provenance, amount: nano(amount) },
  );

function sumOf(requests: readonly RequestCost[]): Cost {
  return requests.reduce((sum, request) => addCosts(sum, costOf(request)), NO_COST);
}

function rank(cost: Cost): number {
  return PROVENANCES.indexOf(provenanceOf(cost) ?? 'exact');
}

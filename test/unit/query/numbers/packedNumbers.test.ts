import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PackedNumbers } from '../../../../src/query/numbers/packedNumbers.js';

/** Numbers as records have them, and any others. */
const anyNumber = fc.oneof(
  fc.integer({ min: 1_790_000_000_000, max: 1_790_000_100_000 }),
  fc.integer({ min: -3, max: 300 }),
  fc.double(),
  fc.constantFrom(0, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 32),
);

test('numbers come back as they were, however they lie beside each other', () => {
  const runs = fc.array(fc.tuple(anyNumber, fc.integer({ min: 1, max: 3_000 })), { maxLength: 12 });
  fc.assert(
    fc.property(runs, (stretches) => {
      const all = stretches.flatMap(([number, times]) =>
        Array.from({ length: times }, (_, at) => (Number.isSafeInteger(number + at) ? number + at : number)),
      );
      const packed = new PackedNumbers();
      for (const number of all) packed.push(number);
      expect(packed.length).toBe(all.length);
      // Zero has one sign here.
      expect(all.every((number, at) => Object.is(packed.at(at) + 0, number + 0))).toBe(true);
      expect([packed.at(-1), packed.at(all.length)]).toEqual([0, 0]);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EstimatedShares, estimatedTokens, NO_TEXTS } from '../../../../src/query/numbers/estimatedTokens.js';

const lengths = fc.record({ input: fc.nat(50), output: fc.nat(50), reasoning: fc.nat(50) });

test('the estimates of parts add up to that of the whole', () => {
  fc.assert(
    fc.property(fc.array(lengths), (parts) => {
      const shares = new EstimatedShares();
      const [whole, sum] = [{ ...NO_TEXTS }, { input: 0, output: 0 }];
      for (const part of parts) {
        const { input, output } = shares.next(part);
        expect(Math.min(input, output)).toBeGreaterThanOrEqual(0);
        sum.input += input;
        sum.output += output;
        whole.input += part.input;
        whole.output += part.output;
        whole.reasoning += part.reasoning;
      }
      expect({ ...sum, estimated: true }).toEqual(estimatedTokens(whole));
    }),
  );
});

import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { BytePairEncoder } from '../../../../src/query/tokens/bytePairEncoder.js';
import { textParts } from '../../../../src/query/tokens/tokenService.js';
import { runs } from '../../../support/fixedInputs.js';
import { nastyText } from '../../../support/nastyTexts.js';
import { readTokenRanks } from '../../../support/readTokenRanks.js';

// Thousands of texts: a machine that is busy with other things must not fail them.
vi.setConfig({ testTimeout: 60_000 });

test.each(['o200k_base', 'cl100k_base'] as const)(
  'the parts have the tokens of the whole in %s',
  (encoding) => {
    const encoder = new BytePairEncoder(encoding, readTokenRanks(encoding));
    const holds = fc.property(nastyText(80), fc.integer({ min: 1, max: 20 }), (text, size) => {
      const parts = [...textParts(text, size)];
      expect(parts.join('')).toBe(text);
      expect(parts.flatMap((part) => encoder.encode(part))).toEqual(encoder.encode(text));
    });
    fc.assert(holds, { numRuns: runs(1000) });
  },
);

test('a text is cut before the spaces behind visible characters, near the size', () => {
  expect([...textParts('one two  three\n four', 8)]).toEqual(['one two', '  three\n four']);
});

test('a text without such a place stays whole', () => {
  expect([...textParts('a'.repeat(100), 8)]).toHaveLength(1);
});

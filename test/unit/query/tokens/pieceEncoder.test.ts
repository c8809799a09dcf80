import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MergeWindow } from '../../../../src/query/tokens/pieceEncoder.js';
import { PieceEncoder } from '../../../../src/query/tokens/pieceEncoder.js';
import { rankTable } from '../../../../src/query/tokens/rankTable.js';
import { runs } from '../../../support/fixedInputs.js';
import { nastyText } from '../../../support/nastyTexts.js';
import { readTokenRanks } from '../../../support/readTokenRanks.js';

// Thousands of texts: a machine that is busy with other things must not fail them.
vi.setConfig({ testTimeout: 60_000 });

const table = rankTable(readTokenRanks('o200k_base'));

function expectEqual(bytes: Uint8Array) {
  if (bytes.length === 0) return;
  const whole = new MergeWindow(table);
  const count = whole.merge(bytes, 0, bytes.length);
  const inSteps = new PieceEncoder(table);
  expect(inSteps.encode(bytes, 0, bytes.length)).toBe(count);
  expect(inSteps.tokens.subarray(0, count)).toEqual(whole.tokens.subarray(0, count));
}

test('bytes merged in steps give the tokens of all bytes merged at once', () => {
  fc.assert(
    fc.property(nastyText(2000), (text) => expectEqual(Buffer.from(text))),
    { numRuns: runs(200) },
  );
});

test('so do bytes that are no text', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1500, size: 'max' }), expectEqual), {
    numRuns: runs(100),
  });
});

test('so does a chain in which each byte decides how all before it are merged', () => {
  // Each two neighbours are a token of lower rank than the two before.
  const chain = 'dqyjhgzlwfjmwjbmvhwlvpdmcvuoqaezzujuzyltihruppracher';
  for (let cut = 0; cut < chain.length; cut++) expectEqual(Buffer.from(chain.slice(cut).repeat(20)));
});

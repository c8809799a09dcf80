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

/** Where the letters of some scripts stand: those of two, three and four bytes. */
const SCRIPTS = [
  [0x4e00, 0x4fff],
  [0x3040, 0x30ff],
  [0xac00, 0xb2ff],
  [0x0400, 0x044f],
  [0x0600, 0x064f],
  [0x0900, 0x096f],
  [0x0e00, 0x0e5f],
  [0x1f600, 0x1f64f],
  [0x20, 0x7e],
] as const;

/** A letter of a script, mostly one of its first, which stand in tokens with others. */
const letter = fc
  .tuple(fc.constantFrom(...SCRIPTS), fc.nat(400), fc.boolean())
  .map(([[from, to], at, isFirst]) => String.fromCodePoint(from + ((isFirst ? at % 24 : at) % (to - from))));

test('whole letters merged, and mended where their bytes are merged otherwise, give the tokens of the bytes', () => {
  const words = 'ファイル データ 테스트가 配置文件 ошибка ملف फ़ाइल ไฟล์'.split(' ');
  const piece = fc.oneof(letter, fc.constantFrom(...words));
  const encoder = new PieceEncoder(table);
  const whole = new MergeWindow(table);
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 90 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''));
      const count = whole.merge(bytes, 0, bytes.length);
      expect(encoder.encode(bytes, 0, bytes.length)).toBe(count);
      expect(encoder.tokens.subarray(0, count)).toEqual(whole.tokens.subarray(0, count));
    }),
    { numRuns: runs(1_000) },
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

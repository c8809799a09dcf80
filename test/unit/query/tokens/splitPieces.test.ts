import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ClassifiedText } from '../../../../src/query/tokens/classifiedText.js';
import type { Encoding } from '../../../../src/query/tokens/encodingForModel.js';
import { rankTable } from '../../../../src/query/tokens/rankTable.js';
import { pieceEndCl100k, pieceEndO200k } from '../../../../src/query/tokens/splitPieces.js';
import { runs } from '../../../support/fixedInputs.js';
import { nastyText } from '../../../support/nastyTexts.js';
import { readTokenRanks } from '../../../support/readTokenRanks.js';
import { referencePattern } from '../../../support/referenceEncoding.js';

// Thousands of texts: a machine that is busy with other things must not fail them.
vi.setConfig({ testTimeout: 60_000 });

const pieceEnds = { o200k_base: pieceEndO200k, cl100k_base: pieceEndCl100k };

function splitter(encoding: Encoding): (text: string) => string[] {
  const classified = new ClassifiedText(rankTable(readTokenRanks(encoding)));
  return (text) => {
    classified.set(text);
    const pieces: string[] = [];
    for (let start = 0, end = 0; start < classified.length; start = end) {
      end = pieceEnds[encoding](classified, start);
      pieces.push(Buffer.from(classified.bytes.subarray(start, end)).toString());
    }
    return pieces;
  };
}

describe.each(['o200k_base', 'cl100k_base'] as const)('%s', (encoding) => {
  const split = splitter(encoding);
  const pattern = new RegExp(referencePattern(encoding), 'gu');
  const expected = (text: string) => Buffer.from(text).toString().match(pattern) ?? [];

  test('any text is split as the pattern says', () => {
    const holds = fc.property(nastyText(60), (text) => {
      expect(split(text)).toEqual(expected(text));
    });
    fc.assert(holds, { numRuns: runs(3000) });
  });

  test('every character has the class that the pattern sees', () => {
    let wrong = 0;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x3200 ? 1 : 37) {
      const character = String.fromCodePoint(codePoint);
      const text = `A${character}a ${character}${character} ${character}!${character}`;
      if (split(text).join('|') !== expected(text).join('|')) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test.each([
    "I'll don'T WE'VE x'S y'ſ 'round 're",
    'getElementById HTTPServer ABCあDEF x́Y ́A',
    'a  b   \n \n\t c  ',
    'path/to//file\r\n/\n//x',
    '1234567 ١٢٣٤ ½²',
    '<|endoftext|><|fim_prefix|>',
    '\ud800a\udc00 \ud83d',
  ])('%j', (text) => expect(split(text)).toEqual(expected(text)));
});

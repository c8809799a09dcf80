import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { BytePairEncoder } from '../../../../src/query/tokens/bytePairEncoder.js';
import { runs } from '../../../support/fixedInputs.js';
import { nastyText } from '../../../support/nastyTexts.js';
import { readTokenRanks } from '../../../support/readTokenRanks.js';
import { referenceEncode } from '../../../support/referenceEncoding.js';

// Thousands of texts: a machine that is busy with other things must not fail them.
vi.setConfig({ testTimeout: 60_000 });

describe.each(['o200k_base', 'cl100k_base'] as const)('%s', (encoding) => {
  const encoder = new BytePairEncoder(encoding, readTokenRanks(encoding));
  const reference = referenceEncode(encoding);

  function expectEqual(text: string) {
    const expected = reference(text);
    expect(encoder.encode(text)).toEqual(expected);
    expect(encoder.count(text)).toBe(expected.length);
  }

  test('any text has the tokens of the reference', () => {
    fc.assert(fc.property(nastyText(40), expectEqual), { numRuns: runs(1500) });
  });

  test('pieces that are merged in steps have the tokens of the reference', () => {
    fc.assert(fc.property(nastyText(700), expectEqual), { numRuns: runs(60) });
  });

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff\ufeffa \ufeff \n\ufeff'],
    ['a next line', ' \u0085Z \u0085 z'],
    ['a special token as plain text', 'a<|endoftext|>b<|fim_prefix|>'],
    ['lone surrogates', 'a\ud83d b\ude00\ude00'],
    ['bytes of four', '😀👩‍💻🏽🇩🇪𠀀𝕏'],
    ['a NUL beside words', 'a a\0 a\0\0 a\0\0\0'],
    ['a long run', 'a'.repeat(1001)],
    ['spaces before a word', `${' '.repeat(600)}x`],
    ['code', 'const x = await fs.readFile(`${root}/a.json`, "utf8");\n\t\treturn x?.y ?? null;\r\n'],
  ])('%s', (_, text) => expectEqual(text));

  test.each(['a', ' ', '\n', '-', 'A', '啊', '😀', ' \n', '\u0301', 'qz', '0', '\ud83d'])(
    'a long run of %j is counted, and as encoded',
    (unit) => {
      const text = unit.repeat(runs(1_000_000) / unit.length);
      expect(encoder.count(text)).toBe(encoder.encode(text).length);
    },
  );
});

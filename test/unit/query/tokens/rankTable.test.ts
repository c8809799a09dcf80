import { expect, test } from 'vitest';
import { rankTable } from '../../../../src/query/tokens/rankTable.js';
import { readTokenRanks } from '../../../support/readTokenRanks.js';

test.each([
  ['nothing', () => new ArrayBuffer(0)],
  ['a few bytes', () => new ArrayBuffer(5)],
  ['another file', () => new Uint8Array(1000).fill(65).buffer],
  [
    'another layout',
    () => {
      const content = readTokenRanks('cl100k_base');
      new Int32Array(content)[1] = 99;
      return content;
    },
  ],
])('%s is refused', (_, content) => {
  expect(() => rankTable(content())).toThrow('These are not the token ranks of this version.');
});

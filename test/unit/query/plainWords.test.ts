import { expect, test } from 'vitest';
import { plainWords } from '../../../src/query/plainWords.js';

test.each([
  ['It is the third line.', 'It is the third line.'],
  ['## What was wrong\n\nThe **export** of `invoices.ts`', 'What was wrong The export of invoices.ts'],
  ['1. **What** changed\n2. _Where_ it breaks\n- a ~~b~~', 'What changed Where it breaks a b'],
  ['See [Temporal](https://example.com/a_b) ![the page](x.png)', 'See Temporal the page'],
  ['> quoted\nand on\n\n```ts\nconst a = 1;\n```', 'quoted and on const a = 1;'],
  ['| case | end |\n|---|---|\n| leap day | 1 Mar |', 'case end leap day 1 Mar'],
  ['a*b*c and snake_case_name, 2 * 3 * 4', 'abc and snake_case_name, 2 * 3 * 4'],
  ['<script>alert(1)</script> &amp; \\*', '<script>alert(1)</script> & *'],
  ['', ''],
  ['**not clos', '**not clos'],
])('%j says %j', (markdown, words) => {
  expect(plainWords(markdown)).toBe(words);
});

test('a text that nests without end is read in a moment', () => {
  expect(plainWords('> '.repeat(5_000) + 'deep').length).toBeLessThan(20_000);
  expect(plainWords('['.repeat(5_000) + 'x').length).toBeLessThan(20_000);
});

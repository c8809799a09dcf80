import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkAnswer, chunkText } from '../../../../src/agents/chats/executor/chunkText.js';
import { runs } from '../../../support/fixedInputs.js';

test.each<[string, string, number, string[]]>([
  ['a text that fits is one piece', 'one two', 7, ['one two']],
  ['nothing is no piece', ' \n ', 10, []],
  ['paragraphs come first', 'one\n\ntwo three\nfour', 16, ['one', 'two three\nfour']],
  ['then lines', 'one two\nthree four', 14, ['one two', 'three four']],
  ['then words', 'one two three', 9, ['one two', 'three']],
  ['then characters', 'abcdefgh', 3, ['abc', 'def', 'gh']],
  ['as many paragraphs as fit', 'a\n\nb\n\nc\n\nd', 7, ['a\n\nb', 'c\n\nd']],
  ['several blank lines are one border', 'one\n \n\n\ntwo', 5, ['one', 'two']],
  ['the indentation after a cut stays', 'one two\n    three', 10, ['one two', '    three']],
  ['Windows line ends are borders too', 'one\r\n\r\ntwo', 5, ['one', 'two']],
  ['a character of two units stays whole', 'ab🥒🥒', 3, ['ab', '🥒', '🥒']],
  ['a limit that ends between the halves', '🥒🥒🥒', 5, ['🥒🥒', '🥒']],
])('%s', (_, text, limit, expected) => {
  expect(chunkText(text, limit)).toEqual(expected);
});

test('a code fence open at a cut is closed and opened again in its language', () => {
  const code = Array.from({ length: 8 }, (_, n) => `line ${n}`).join('\n');
  expect(chunkText(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nDone.`, 48)).toEqual([
    'Look:\n```ts\nline 0\nline 1\nline 2\nline 3\n```',
    '```ts\nline 4\nline 5\nline 6\nline 7\n```\nDone.',
  ]);
});

test('a fence of tildes is not closed by one of backticks', () => {
  const chunks = chunkText(`~~~~\n\`\`\`\n${'word '.repeat(20)}\n~~~~`, 64);
  for (const chunk of chunks) expect(chunk).toMatch(/^~~~~\n[^~]*\n~~~~$/);
});

const fenceLines = (chunk: string) => chunk.split('\n').filter((line) => /^ {0,3}(`{3,}|~{3,})/.test(line));
const withoutSpace = (text: string) => text.replace(/\s+/g, '');

const words = fc.array(
  fc.constantFrom('word', 'longer', '🥒', '👩🏽‍🌾', '\n', '\n\n', ' ', '    ', 'x'.repeat(90), '\ta'),
  { maxLength: 200 },
);

test('whatever is said, pieces keep the limit, lose nothing but white space and halve no character', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 100 }), (parts, limit) => {
      const text = parts.join(' ');
      const chunks = chunkText(text, limit);
      for (const chunk of chunks) {
        expect(chunk.length).toBeLessThanOrEqual(limit);
        expect(chunk.trim()).not.toBe('');
        expect(/\p{Cs}/u.test(chunk)).toBe(false);
      }
      expect(withoutSpace(chunks.join(''))).toBe(withoutSpace(text));
    }),
    { numRuns: runs(500) },
  );
});

test('whatever is fenced, no piece leaves a fence open', () => {
  const block = fc
    .tuple(fc.constantFrom('```', '````', '~~~'), fc.constantFrom('', 'ts', ' js x'), words)
    .map(([marks, info, parts]) => `${marks}${info}\n${parts.join(' ')}\n${marks}`);
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.integer({ min: 40, max: 200 }), (blocks, limit) => {
      const chunks = chunkText(blocks.join('\n\n'), limit);
      for (const chunk of chunks) {
        expect(chunk.length).toBeLessThanOrEqual(limit);
        expect(fenceLines(chunk).length % 2).toBe(0);
      }
    }),
    { numRuns: runs(500) },
  );
});

test.each(['`'.repeat(10_000), `\`\`\`${'x'.repeat(10_000)}`, '~'.repeat(9_999) + '\n', '\n'.repeat(9_999)])(
  'hostile fences and blank lines end',
  (text) => {
    for (const chunk of chunkText(text, 64)) expect(chunk.length).toBeLessThanOrEqual(64);
  },
);

test('an answer beyond reason is cut, and says by how much', () => {
  const chunks = chunkAnswer('word '.repeat(100_000), 100, 3);
  expect(chunks).toHaveLength(3);
  expect(chunks[2]).toBe('(About 499802 more characters are in the transcript.)');
});

import { expect, it } from 'vitest';
import { guardedPatterns } from '../../../../src/node/patterns/guardedPatterns.js';
import { PatternMarks, type PatternValue } from '../../../../src/page/panel/filter/patternMarks.js';
import type { PatternMatcher, PatternQuestion } from '../../../../src/core/ports/patternMatcher.js';
import type { Row } from '../../../../src/page/protocol/row.js';

function asPattern(source: string, flags: string): PatternValue {
  return { kind: 'pattern', source, flags, range: { start: 0, end: 0 } };
}

/** What is marked in a row that says these words, filtered by a pattern. */
function marked(pattern: string, words: string, matchCase = false): Promise<string[]> {
  const row = { kind: 'message', body: { text: words, rest: 0 } } as Row;
  return new PatternMarks(guardedPatterns).in([row], [asPattern(pattern, matchCase ? '' : 'i')]);
}

it('marks each different text that the pattern matches', async () => {
  expect(await marked('h[a-z]llo', 'Hello, hallo and hello.')).toEqual(['Hello', 'hallo', 'hello']);
  expect(await marked('h[a-z]llo', 'Hello, hallo.', true)).toEqual(['hallo']);
});

it('marks as the filter matches: the beginning is that of the text, not of each line', async () => {
  expect(await marked('^b', 'a\nb')).toEqual([]);
  expect(await marked('^a', 'a\nb')).toEqual(['a']);
});

it('marks nothing where nobody asked for a pattern', async () => {
  const row = { kind: 'message', body: { text: 'abc', rest: 0 } } as Row;
  expect(await new PatternMarks(guardedPatterns).in([row], [])).toEqual([]);
});

it('marks a hundred texts at the most, and no empty or very long one', async () => {
  const numbers = Array.from({ length: 300 }, (_, at) => at).join(' ');
  expect(await marked('\\d+', numbers)).toHaveLength(100);
  expect(await marked('x*', 'a')).toEqual([]);
  expect(await marked('x+', 'x'.repeat(201))).toEqual([]);
});

it.each(['(', '(?=a)', '(?<!a)b', '[z-a]', 'a{5000}'])('marks nothing for %s', async (pattern) => {
  expect(await marked(pattern, 'aab')).toEqual([]);
});

it('marks what a pattern with a back-reference matches, as the filter does', async () => {
  expect(await marked('(a)\\1', 'aab')).toEqual(['aa']);
});

it.each(['(a+)+$', '([a-z]+)*=', '(x+x+)+y', '[a-z]{1000}[0-9]'])(
  'a pattern that takes too long is given up once, not for each row: %s',
  async (text) => {
    const asked: PatternQuestion[] = [];
    const slow: PatternMatcher = {
      find: async (question) => {
        asked.push(question);
        return { ok: false, why: 'tooSlow', message: 'slow' };
      },
    };
    const marks = new PatternMarks(slow);
    const row = { kind: 'message', body: { text: 'a', rest: 0 } } as Row;
    const patterns = [asPattern(text, 'i')];
    expect(await marks.in([row, row], patterns)).toEqual([]);
    expect(await marks.in([row], patterns)).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(await marks.in([row], [asPattern('b', '')])).toEqual([]);
    expect(asked).toHaveLength(2);
  },
);

import { expect, it } from 'vitest';
import { patternMarks } from '../../../src/panel/filter/patternMarks.js';
import type { Row } from '../../../src/protocol/row.js';
import { NO_CRITERIA } from '../../../src/protocol/criteria.js';

/** What is marked in a row that says these words, filtered by a pattern. */
function marked(pattern: string, words: string, matchCase = false): string[] {
  const row = { kind: 'message', body: { text: words, rest: 0 } } as Row;
  return patternMarks({ ...NO_CRITERIA, text: pattern, regex: true, matchCase }, [row]);
}

it('marks each different text that the pattern matches', () => {
  expect(marked('h[a-z]llo', 'Hello, hallo and hello.')).toEqual(['Hello', 'hallo', 'hello']);
  expect(marked('h[a-z]llo', 'Hello, hallo.', true)).toEqual(['hallo']);
});

it('marks as the filter matches: the beginning is that of the text, not of each line', () => {
  expect(marked('^b', 'a\nb')).toEqual([]);
  expect(marked('^a', 'a\nb')).toEqual(['a']);
});

it('marks nothing where nobody asked for a pattern', () => {
  const row = { kind: 'message', body: { text: 'abc', rest: 0 } } as Row;
  expect(patternMarks({ ...NO_CRITERIA, text: 'b' }, [row])).toEqual([]);
});

it('marks a hundred texts at the most, and no empty or very long one', () => {
  const numbers = Array.from({ length: 300 }, (_, at) => at).join(' ');
  expect(marked('\\d+', numbers)).toHaveLength(100);
  expect(marked('x*', 'a')).toEqual([]);
  expect(marked('x+', 'x'.repeat(201))).toEqual([]);
});

it.each(['(', '(?=a)', '(?<!a)b', '(a)\\1', '[z-a]', 'a{5000}'])('marks nothing for %s', (pattern) => {
  expect(marked(pattern, 'aab')).toEqual([]);
});

it.each(['(a+)+$', '(a|aa)+$', '(.*a){12}', '([a-z]+)*=', '(x+x+)+y'])(
  'ends soon with %s',
  { timeout: 30_000 },
  (pattern) => {
    expect(marked(pattern, `${'a'.repeat(20_000)}!`)).toEqual([]);
  },
);

import { expect, test } from 'vitest';
import { planQuery } from '../../../../src/query/language/plan.js';
import { problemWords } from '../../../../src/query/language/problemWords.js';

function wordsOf(question: string): string {
  const planned = planQuery(question, { rows: 'messages', now: 0, timeZone: 'UTC' });
  return planned.ok ? '' : problemWords(question, planned.problems);
}

test('the part that is not understood is told with the number of its first character', () => {
  expect(wordsOf('a rol:user')).toMatch(/^The question is not understood at "rol:" \(character 3\): /);
  expect(wordsOf('"🍪🍪" rol:user')).toContain('at "rol:" (character 6): ');
});

test('of many brackets it is said which one is meant', () => {
  expect(wordsOf(`${'('.repeat(1_000)}a`)).toMatch(/ \(character \d+\): /);
  expect(wordsOf(`${'a '.repeat(500)}(b`)).toContain(' (character 1001): ');
});

test.each([
  ['a word', `tokens:${'x'.repeat(20_000)}`],
  ['a choice', `role is:${'é'.repeat(20_000)}`],
  ['a field', `${'x'.repeat(20_000)}:a`],
  ['a text without its end', `"${'x '.repeat(10_000)}`],
  ['a pattern', `/(${'x'.repeat(20_000)}/`],
  ['lines', `is:"${'🍪\n'.repeat(10_000)}"`],
])('of %s that is long, a part is repeated, on one line', (_what, question) => {
  const words = wordsOf(question);
  expect(words).toMatch(/^The question is not understood at [^\n]+$/);
  expect(words.length).toBeLessThan(600);
  expect(words).not.toMatch(/\p{Cs}/u);
});

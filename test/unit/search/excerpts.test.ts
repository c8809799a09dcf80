import { expect, test } from 'vitest';
import { planQuery } from '../../../src/query/language/plan.js';
import { Excerpts } from '../../../src/search/excerpts.js';

function excerptOf(question: string, text: string) {
  const planned = planQuery(question, { rows: 'messages', now: 0, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  return new Excerpts(planned.plan).of(text);
}

test('colours of a terminal are no text, and the marks stand where the words are', () => {
  const { text, marks } = excerptOf('oven', '\u001b[1m\u001b[32mThe oven\u001b[0m is hot');
  expect(text).toBe('The oven is hot');
  expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(['oven']);
});

test('a pattern that never ends marks nothing, and a literal that is looked for for long ends', () => {
  const { text, marks } = excerptOf('text:/(a+)+$/', `${'a'.repeat(60)}!`);
  expect([text.length, marks]).toEqual([61, []]);
  const long = 'a'.repeat(900);
  expect(excerptOf(`"${long}b"`, 'a'.repeat(1_000_000)).marks).toEqual([]);
  expect(excerptOf(`"${long}b"`, `${long}b`).marks).toEqual([{ start: 0, end: 300 }]);
});

test.each(['word:rm', 'content.word:rm', 'word:=rm'])('%s marks whole words only', (question) => {
  const { text, marks } = excerptOf(question, 'please perform the format and then rm it, _rm rm2 or Ärm');
  expect(marks.map(({ start, end }) => [text.slice(start - 5, start), text.slice(start, end)])).toEqual([
    ['then ', 'rm'],
  ]);
});

test('the excerpt of a long text shows the whole word that was found, not one that only contains it', () => {
  const { text, isCutBefore } = excerptOf('word:rm', `perform ${'and so on '.repeat(100)}rm -rf out`);
  expect(isCutBefore).toBe(true);
  expect(text).toContain('rm -rf out');
});

test('a pattern asks for what it says also where whole words are asked for', () => {
  expect(excerptOf('word:/form/', 'perform').marks).toEqual([{ start: 3, end: 7 }]);
});

import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTranslations, type Translations } from '../../../../src/core/l10n.js';
import { completeAt } from '../../../../src/query/language/complete.js';
import { describeAt, describeQuery } from '../../../../src/query/language/describe.js';
import { FIELDS, KEYWORDS } from '../../../../src/query/language/fields.js';
import { problemWords } from '../../../../src/query/language/problemWords.js';
import { problemsOf } from '../../../../src/query/language/question.js';
import { ROW_KINDS } from '../../../../src/query/language/syntax.js';
import { parseQuery } from '../../../../src/query/language/parse.js';
import { anyQuestion } from './questionArbitrary.js';

const bundle = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../l10n/bundle.l10n.json'), 'utf8'),
) as Translations;

/** A language without letters: whatever letters are left were not translated. */
const wordless = Object.fromEntries(
  Object.keys(bundle).map((text) => [text, text.replace(/`[^`]*`|\{\d+\}|[\p{L}\d]+/gu, keptOrBlank)]),
);

/** Values and code stay. */
function keptOrBlank(part: string): string {
  return /^[{`]/.test(part) ? part : '~';
}

beforeAll(() => useTranslations(wordless));
afterAll(() => useTranslations(undefined));

/** The words of a text that neither the question nor the names of the language has. */
function leftIn(words: string, question: string): readonly string[] {
  const names = [...FIELDS, ...KEYWORDS].flatMap(({ name, example }) => [name, example]);
  const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const known = new Set([question, ...names].flatMap(wordsOf));
  return wordsOf(words.replace(/`[^`]*`/g, '')).filter((word) => !known.has(word));
}

function isSaid(text: string): void {
  const problems = problemsOf({ text, rows: 'toolCalls' });
  expect(problems.length).toBeGreaterThan(0);
  // What the language itself has, such as the values of a field, stays.
  const own =
    'OR AND NOT tool:Bash err(or)? ms s m path agent call run is has error failed denied cancelled timeout open message partial compaction live';
  const said = `${text.slice(0, 1_000)} ${own} subagent injected`;
  for (const { message } of problems) expect(leftIn(message, said)).toEqual([]);
  expect(leftIn(problemWords(text, problems), said)).toEqual([]);
}

describe('in another language', () => {
  test('every question is described in it, and each of its places', () => {
    const vocabulary = { texts: ['too small'], names: { agent: ['Cookie'], tool: ['Bash'] } };
    const property = fc.property(
      anyQuestion(vocabulary),
      fc.constantFrom(...ROW_KINDS),
      fc.nat(),
      (question, rows, some) => {
        const parsed = parseQuery(question);
        expect(leftIn(describeQuery(parsed.query, rows), question)).toEqual([]);
        const { summary = '', meaning = '' } = describeAt(parsed, some % (question.length + 1), rows) ?? {};
        expect(leftIn(`${summary} ${meaning}`, question)).toEqual([]);
      },
    );
    fc.assert(property);
  });

  test.each([
    'a OR b',
    'a AND b',
    'NOT b',
    '(a OR)',
    '(a',
    ')',
    '()',
    '"abc',
    '“abc”',
    '/t+mp',
    '/a/g',
    'args.x:1..',
    'tool:a,b',
    'tool:!a',
    'agent:=',
    '!tool:x',
    'since:2026-02-30',
    '//',
    '--force',
    'agent: Cookie',
    'agnt:Cookie',
    'is:eror',
    'is:(live OR partial)',
    'tokens:many',
    'duration:>30',
    'tokens:5..1',
    'since:2026-02-30',
    'since:=today',
    'agent:>5',
    'agent:>/x/',
    'file:""',
    'args.path:>x',
    'same:path',
    'a after tool:b within:soon',
    'a after tool:b within:>5',
    'a after tool:b same:(agent OR path)',
    'a after tool:b same:x',
    'a after tool:b within:(5 OR 10m)',
    'a after tool:b within:5 within:6',
    '-same:path after x',
    'tokens:> 1000',
    'command:"git push"',
    'command:/usr/bin/',
    'args.edits[*].x:y',
    'args:>5',
    'after tool:read',
    'tool:a after b after c',
    'in:reviewer',
    'tool:(a b)',
    'tool:(-a)',
    'tool:(a OR)',
    'tool:()',
    'tool:(a',
    'role:user',
  ])('what is wrong with %s is said in it', isSaid);

  test.each([
    ['many brackets', `${'('.repeat(101)}a`],
    ['many terms', 'a '.repeat(10_001)],
    ['many characters', 'a '.repeat(50_001)],
  ])('that there are too %s is said in it', (_, text) => isSaid(text));

  test.each(['', 'x ', '(x ', 'since:', 'before:2'])(
    'what is offered behind %s is explained in it',
    (text) => {
      const { items } = completeAt({ text, rows: 'records' }, text.length, () => []);
      expect(items.length).toBeGreaterThan(0);
      for (const { meaning, text: written } of items) expect(leftIn(meaning, written)).toEqual([]);
    },
  );
});

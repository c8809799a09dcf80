import { describe, expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { guardedPatterns } from '../../../src/node/patterns/guardedPatterns.js';
import { PATTERN_TOO_SLOW, type PatternQuestion } from '../../../src/core/ports/patternMatcher.js';
import { toolWorkspace } from '../agents/tools/toolHarness.js';

/** What becomes of a pattern on a text: the texts that match, or why there are none. */
type Row = [what: string, pattern: string, text: string, ecmascript: unknown, re2: unknown];

const SLOW = 'tooSlow';
const BAD = 'invalid';
const many = (text: string, times = 30_000) => text.repeat(times);

const rows: Row[] = [
  // Killers
  ['repeats within repeats', '^(a+)+$', `${many('a', 60)}!`, SLOW, []],
  ['repeats of a choice', '^(a|a)*$', `${many('a', 60)}!`, SLOW, []],
  ['repeats of a choice of parts', '^(a|aa)+$', `${many('a', 80)}!`, SLOW, []],
  ['repeats of what may be empty', '^(a*)*$', `${many('a', 60)}!`, SLOW, []],
  ['a chain of repeats', '^a*a*a*a*a*a*a*a*a*a*$', `${many('a', 400)}!`, SLOW, []],
  ['dots in a row', '.*.*.*.*=.*', many('a', 3_000), SLOW, []],
  [
    'an address of mail that kills',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$',
    many('a', 60),
    SLOW,
    [],
  ],
  ['blanks at an end that is none', '^\\s+|\\s+$', `x${many(' ', 200_000)}x`, SLOW, []],
  ['nested choices', '^(?:(?:a?){20}){20}b$', many('a', 60), SLOW, []],
  ['a reference that goes back', '^(.*)\\1{10}!$', many('ab', 20_000), expect.anything(), BAD],
  ['a look ahead that kills', '^(?=(a+)+$)b', `${many('a', 60)}!`, SLOW, BAD],
  // Without matches of any length
  ['nothing', '', 'ab', [], []],
  ['what may be nothing', 'x*', 'ab', [], []],
  ['borders', '\\b', 'a b', [], []],
  ['nothing before an emoji', '(?=.)', 'a😀b', [], BAD],
  ['nothing within emoji', '(?:)', '😀😀', [], []],
  ['ends of lines', '(?m)$', 'a\nb', BAD, []],
  ['a choice of nothing', 'a||b', 'ab', ['a'], ['a']],
  ['letters or nothing', 'b*', 'abba', ['bb'], ['bb']],
  // Huge
  ['a thousand brackets', `${many('(', 1_000)}a${many(')', 1_000)}`, 'a', ['a'], expect.anything()],
  [
    'a hundred thousand brackets',
    `${many('(', 100_000)}a${many(')', 100_000)}`,
    'a',
    BAD,
    expect.stringMatching(/invalid|tooSlow/),
  ],
  ['a count without end', 'a{1000000}', 'aaa', [], BAD],
  ['counts of counts', '((a{1000}){1000}){1000}', 'aaa', expect.anything(), BAD],
  ['a count beyond numbers', 'a{99999999999999999999}', 'aaa', [], BAD],
  [
    'many choices',
    Array.from({ length: 5_000 }, (_, at) => `w${at}`).join('|'),
    'w4999',
    ['w4'],
    expect.anything(),
  ],
  ['a long text as it is', many('ab', 20_000), many('ab', 20_000), BAD, [many('ab', 20_000)]],
  ['a class of all there is', '[\\s\\S]{5}', 'a😀b\nc', ['a😀b\nc'], ['a😀b\nc']],
  // Invalid
  ['an open bracket', '(', 'a', BAD, BAD],
  ['a closing bracket', ')', 'a', BAD, BAD],
  ['an open class', '[', 'a', BAD, BAD],
  ['a class the wrong way', '[z-a]', 'a', BAD, BAD],
  ['nothing to repeat', '*a', 'a', BAD, BAD],
  ['a count the wrong way', 'a{3,1}', 'a', BAD, BAD],
  ['an escape at the end', '\\', 'a', BAD, BAD],
  ['an escape that is none', '\\q', 'a', BAD, BAD],
  ['a letter that is none', '\\u{110000}', 'a', BAD, BAD],
  ['a property that is none', '\\p{Nope}', 'a', BAD, BAD],
  ['a group of a name that is none', '(?<1a>a)', 'a', BAD, ['a']],
  ['a name twice', '(?<x>a)(?<x>b)', 'ab', BAD, BAD],
  ['a reference to nothing', '\\5', 'a', BAD, BAD],
  ['a flag within', '(?i)A', 'a', BAD, ['a']],
  // Letters
  ['an emoji by a dot', '^.$', '😀', ['😀'], ['😀']],
  ['half of an emoji', '\ud83d', '😀', [], expect.anything()],
  ['half of an emoji alone', '\ud83d', 'a\ud83db', ['\ud83d'], expect.anything()],
  ['a range beyond the first plane', '[😀-😂]', 'a😁', ['😁'], ['😁']],
  ['letters of any script', '\\p{L}+', 'añ日1', ['añ日'], ['añ日']],
  ['a NUL', 'a\0b', 'xa\0b', ['a\0b'], ['a\0b']],
  ['a separator of lines by a dot', '.', '\u2028', [], ['\u2028']],
  ['a carriage return by a dot', 'a.b', 'a\rb', [], ['a\rb']],
  ['a sticky end', '\\Ga', 'a', BAD, BAD],
];

/** How long what may never end is looked for, in milliseconds. */
const SOON_MS = 60;

/** What has a certain end gets all the time of a busy machine; what may never end is given up soon. */
const timeFor = (expected: unknown): number =>
  Array.isArray(expected) || expected === BAD ? 30_000 : SOON_MS;

async function outcome(
  question: Partial<PatternQuestion> & { pattern: string; text: string },
  maxMs = SOON_MS,
): Promise<unknown> {
  const asked = { syntax: 'ecmascript', ignoreCase: false, find: 'all', limit: 1, ...question } as const;
  const answer = await guardedPatterns.find(asked, { maxMs });
  return answer.ok ? answer.matches.map(({ start, end }) => asked.text.slice(start, end)) : answer.why;
}

describe('a pattern is found, refused or given up', () => {
  test.each(rows)('of a person: %s', async (_, pattern, text, expected) => {
    expect(await outcome({ pattern, text }, timeFor(expected))).toEqual(expected);
    // Every match and every line come to an end too, whatever is found.
    for (const find of ['all', 'lines'] as const)
      expect(typeof (await outcome({ pattern, text, find, limit: 1_000 }))).toMatch(/object|string/);
  });

  test.each(rows)('of a model: %s', async (_, pattern, text, _js, expected) => {
    expect(await outcome({ pattern, text, syntax: 're2' }, timeFor(expected))).toEqual(expected);
  });

  test.each(rows)('in the library: %s', (_, pattern, text, expected) => {
    const query = new MessageQuery([{ role: 'user', content: text }], { maxPatternMs: timeFor(expected) });
    let found: unknown;
    try {
      found = query.filter({ content: pattern, regex: true }).length > 0;
    } catch (error) {
      found = (error as Error).message;
    }
    if (expected === SLOW) expect(found).toBe(PATTERN_TOO_SLOW);
    else if (expected === BAD) expect(found).toMatch(/^Invalid regex pattern:/);
    else if (Array.isArray(expected) && expected.length > 0) expect(found).toBe(true);
    else expect(typeof found).toMatch(/boolean|string/);
  });

  test.each(rows)('as a plain text it is only a text: %s', async (_, pattern, text) => {
    const isIn = pattern !== '' && text.includes(pattern);
    const found = await outcome({ pattern, text, syntax: 'text' }, 30_000);
    expect([[], [pattern]]).toContainEqual(found);
    if (!/[\ud800-\udfff]/.test(pattern)) expect(found).toEqual(isIn ? [pattern] : []);
    const query = new MessageQuery([{ role: 'user', content: text }]);
    for (const matchCase of [true, false])
      expect(query.filter({ content: pattern, matchCase }).length > 0).toBe(pattern === '' || isIn);
  });
});

test.each(rows.filter(([, pattern]) => pattern.length > 0 && pattern.length <= 1_000))(
  'search_text answers in words: %s',
  async (_, pattern, text) => {
    const { call } = await toolWorkspace({ 'a.txt': text.replaceAll('\0', ' ') });
    const { content } = await call('search_text', { pattern, regex: true });
    expect(content).not.toMatch(/undefined|call stack|\[object/);
    expect(content).toMatch(/^(?:a\.txt:\d+: |\(Nothing found|\(1 file|The pattern)/);
  },
);

const globs: readonly (readonly [pattern: string, hits: readonly string[]])[] = [
  ['[z-a]', []],
  ['[', ['[']],
  ['[]', ['[]']],
  ['[!]', ['[!]']],
  ['[]a].txt', ['].txt', 'a.txt']],
  ['{', ['{']],
  ['{a', ['{a']],
  ['a}', ['a}']],
  ['{a,b', ['{a,b']],
  ['{,}', []],
  ['{a,{b,c}}.txt', ['a.txt', 'b.txt', 'c.txt']],
  [many('{a,', 100), []],
  [many('*', 400), ['a.txt', 'b.txt', 'c.txt']],
  [`${many('*a', 60)}b`, []],
  [many('**/', 100), []],
  ['**', ['a.txt', 'b.txt', 'c.txt', 'd/e.txt']],
  ['\\', []],
  ['a\\', []],
  ['\\*.txt', []],
  ['../*', []],
  ['/etc/*', []],
  ['(a|b).txt', []],
  ['a.txt$', []],
  ['[[:alpha:]].txt', []],
  ['?.txt', ['a.txt', 'b.txt', 'c.txt']],
  ['\ud83d*', []],
  ['a\0b', []],
  ['', []],
];

test.each(globs)('the pattern of names %j is taken or refused in words', async (pattern, hits) => {
  const files = ['a.txt', 'b.txt', 'c.txt', 'd/e.txt', '].txt', '[', '[]', '[!]', '{', '{a', 'a}', '{a,b'];
  const { call } = await toolWorkspace(Object.fromEntries(files.map((name) => [name, 'needle'])));
  const { content } = await call('search_text', { pattern: 'needle', include: pattern });
  expect(content).not.toMatch(/undefined|call stack|\[object|error parsing/);
  for (const name of hits) expect(content).toContain(`${name}:1: needle`);
});

/** Texts on which the patterns that look for secrets have much to look at and nothing to find. */
const unredacted: readonly (readonly [what: string, text: string])[] = [
  ['one letter', many('a', 300_000)],
  ['quotes', many('"', 100_000)],
  ['quotes and colons', many('":"', 60_000)],
  ['names of secrets', many('password=', 30_000)],
  ['names of secrets without values', many('api_key: ', 30_000)],
  ['openings of keys', many('-----BEGIN PRIVATE KEY-----', 5_000)],
  ['blanks', many(' ', 300_000)],
  ['blanks and line ends', many(' \n', 100_000)],
  ['dots', many('.', 300_000)],
  ['addresses', many('https://a:', 30_000)],
  ['at signs', many('a@', 100_000)],
  ['brackets', many('{"a":', 50_000)],
  ['tags', many('<password>', 30_000)],
  ['back slashes', many('\\', 200_000)],
  ['escaped quotes', many('\\"', 100_000)],
  ['hyphens', many('-', 300_000)],
  ['beginnings of tokens', many('sk-', 60_000)],
  ['digits', many('0123456789', 30_000)],
  ['hexadecimal', many('0123456789abcdef', 20_000)],
  ['base64', many('QUJD', 60_000)],
  ['cookies', many('Cookie: a=b; ', 20_000)],
  ['commands', many('mysql -p ', 30_000)],
  ['half surrogates', many('\ud83d', 100_000)],
  ['equals signs', many('=', 300_000)],
];

test.each(unredacted)('looking for secrets comes to an end on %s', (_, text) => {
  const shown = new Redactor().text(text);
  expect(shown.length).toBeGreaterThan(0);
});

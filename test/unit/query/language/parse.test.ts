import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELDS, fieldNamed, KEYWORDS } from '../../../../src/query/language/fields.js';
import { MAX_QUERY_DEPTH, MAX_QUERY_LENGTH, parseQuery } from '../../../../src/query/language/parse.js';
import type { QueryProblem } from '../../../../src/query/language/syntax.js';
import { printQuery } from '../../../../src/query/language/print.js';
import { anyText } from '../arbitraries.js';
import { anyQuestion } from './questionArbitrary.js';
import { right, withoutRanges, wrong } from './syntax.js';
import { runs } from '../../../support/fixedInputs.js';

/** A text in which a problem's fix is written. */
function fixedBy(text: string, problem: QueryProblem): string {
  const { start, end } = problem.fixedRange ?? problem;
  const { fix = '' } = problem;
  return text.slice(0, start) + fix + text.slice(end);
}

const printed = (text: string) => printQuery(right(text));

describe('the fields', () => {
  test('have names and aliases of their own, and examples that are right', () => {
    const names = [...FIELDS, ...KEYWORDS.filter(({ name }) => name !== 'in')].flatMap((each) => [
      each.name,
      ...('aliases' in each ? (each.aliases as string[]) : []),
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, example } of [...FIELDS, ...KEYWORDS]) {
      expect(right(example)).toBeDefined();
      expect(example).toMatch(new RegExp(`\\b${name}[.:]`));
    }
  });

  test('are found by name, alias and in any letter case', () => {
    expect(fieldNamed('PATH')?.name).toBe('file');
    expect(printed('Agent:Cookie')).toBe('agent:Cookie');
  });
});

test.each([
  ['agent:Cookie tool:Bash is:error', 'agent:Cookie tool:Bash is:error'],
  ['"exact words" bare', '"exact words" bare'],
  ['/err(or)? [/)]x/is', '/err(or)? [/)]x/is'],
  ['-tool:Bash -word -"two words" -(a OR -b)', '-tool:Bash -word -"two words" -(a OR -b)'],
  ['tool:(Bash OR "my tool" OR /^x/)', 'tool:(Bash OR "my tool" OR /^x/)'],
  ['tokens:>=1000 duration:1s..2m depth:0', 'tokens:>=1000 duration:1s..2m depth:0'],
  ['file:/srv/app/*.ts command:/bin/rm', 'file:/srv/app/*.ts command:/bin/rm'],
  ['/usr/bin/env text:/tmp args.path:/src/scale', '"/usr/bin/env" "/tmp" args.path:"/src/scale"'],
  ['C:\\a project:/srv/app', '"C:\\\\a" project:"/srv/app"'],
  ['args.limit:-5..5 args.limit:>-5 args.limit:"1..2"', 'args.limit:-5..5 args.limit:>-5 args.limit:"1..2"'],
  ['tool:"a,b" tool:="!x"', 'tool:"a,b" tool:="!x"'],
  ['args."edits[0]":x', 'args."edits[0]":x'],
  ['command:="Google Chrome"', 'command:="Google Chrome"'],
  ['args.edits.0."old text":x args:y', 'args.edits.0."old text":x args:y'],
  ['tool:edit same:path after tool:read within:600s', 'tool:edit after tool:read same:path within:10m'],
  ['tool:a before (tool:b after c)', 'tool:a before (tool:b after c)'],
  ['in:(agent:reviewer) under:(a OR b) with:(tool:x)', 'in:(agent:reviewer) under:(a OR b) with:(tool:x)'],
  ['text:Foo text:=Foo title:"a b"', 'Foo text:=Foo title:"a b"'],
  ['since:7d before:2026-11-01T10:30+01:00', 'since:7d before:2026-11-01T10:30+01:00'],
  ['', ''],
  ['agent:"a \\" \\\\ b"', 'agent:"a \\" \\\\ b"'],
])('%s is read and written', (text, written) => {
  expect(printed(text)).toBe(written);
});

test('places are exact', () => {
  const text = ' agent:Cookie  -(tool:"a b" OR x)';
  const { query } = parseQuery(text);
  const parts = query.kind === 'all' ? query.of : [];
  expect(parts.map(({ range }) => text.slice(range.start, range.end))).toEqual([
    'agent:Cookie',
    '-(tool:"a b" OR x)',
  ]);
});

describe('words of orders', () => {
  test('are words where nothing but words stands around them', () => {
    expect(withoutRanges(right('look after the cookies'))).toEqual(
      withoutRanges(right('look "after" the cookies')),
    );
    expect(right('before').kind).toBe('all');
  });

  test('are orders as soon as something else does', () => {
    expect(right('error after tool:read').kind).toBe('order');
    expect(right('"permission denied" after deploy').kind).toBe('order');
  });
});

test.each([
  ['agnt:Cookie', "[agnt:] There is no field 'agnt'. Did you mean agent:?"],
  ['price:>1', "[price:] There is no field 'price'."],
  ['cost:5s', "[5s] '5s' is not an amount of US dollars, such as >0.10"],
  ['cost:>-1', "[>-1] '-1' is not an amount of US dollars"],
  ['http://a.b', "[http:] There is no field 'http'. To look for the text"],
  ['foo(bar)', "[foo(bar)] 'foo(bar)' runs together."],
  ['a OR b', '[OR] `OR` stands only in brackets'],
  ['a AND b', '[AND] Terms side by side must all hold'],
  ['NOT b', '[NOT] Write `-`'],
  ['(a OR)', '[OR] `OR` needs something on both sides'],
  ['(a', '[(a] The bracket is not closed'],
  ['a )', '[)] No bracket is open here'],
  ['()', '[()] Nothing stands between'],
  ['"abc', '["abc] The quotes are not closed'],
  ['“abc”', '[“] Write straight quotes'],
  ['/a[b', '[/a[b] A pattern stands between two slashes'],
  ['/a/g', "[/a/g] This begins with a slash: put it into quotes to look for it as it is. 'g' are no flags"],
  ['/a+/x', "[/a+/x] This begins with a slash: put it into quotes to look for it as it is. 'x' are no flags"],
  ['args.a[0].b:1', "[a[0].b] 'a[0]' is no key: write edits.0 for the first of a list"],
  ['args[0]:1', '[args[0]:1] No field stands before the colon.'],
  ['!tool:Bash', '[!tool:Bash] Write `-` before what must not hold: -tool:Bash.'],
  ['tool:!Bash', '[!Bash] Write `-` before what must not hold: -tool:Bash.'],
  ['tool:Bash,Read', '[Bash,Read] One of several is tool:(a OR b);'],
  ['agent:=', '[=] agent: takes a name; an empty one finds nothing.'],
  ['args.limit:10..', '[10..] For one end alone, write >=10'],
  ['args:1..2', '[1..2] A comparison is of one argument'],
  ['since:2026-11-21T09:30+25:00', "[2026-11-21T09:30+25:00] '2026-11-21T09:30+25:00' is no date"],
  ['/(/', '[/(/] The pattern cannot be read: Invalid regular expression'],
  ['--force', '[--force] `-` stands directly before'],
  ['a - b', '[-] `-` stands directly before'],
  ['agent: Cookie', '[agent:] agent: needs a value directly behind the colon'],
  [
    'is:eror',
    "[eror] is: takes error, failed, denied, cancelled, timeout, open, message, partial, compaction, injected, subagent, live; not 'eror'. Did you mean error?",
  ],
  ['a is:(live OR partial)', '[is:(live OR partial)] `live` is asked of the whole session'],
  ['tokens:many', "[many] 'many' is not a number"],
  [
    'duration:>30',
    "[>30] '30' is not a duration with its unit, such as >30s, <500ms, >=1h30m or 1m..5m. Which unit: 30s, 30ms?",
  ],
  ['since:2026-02-30', "[2026-02-30] '2026-02-30' is no date"],
  ['agent:>5', "[>5] agent: cannot be compared with '>'"],
  ['same:path', '[same:path] `same:` narrows an order'],
  ['a after tool:b within:soon', '[within:soon] within: takes a number of rows'],
  [
    'a after tool:b within:>5',
    "[within:>5] within: takes a number of rows, such as within:5, or a time, such as within:10m; not '>5'. It always means at most: leave '>' out.",
  ],
  ['a after tool:b within:(5 OR 10m)', '[within:(5 OR 10m)] within: takes no brackets'],
  [
    'a after tool:b same:(agent OR path)',
    '[same:(agent OR path)] same: takes no brackets: write same:agent same:path for both',
  ],
  ['a after tool:b same:>path', "[same:>path] same: takes agent, call, run, tool, path; not '>path'."],
  ['tokens:> 1000', "[> 1000] No blank may stand behind '>': tokens:>1000."],
  ['agent:= Cookie x', "[= Cookie] No blank may stand behind '=': agent:=Cookie."],
  ['command:"git push"', '["git push"] command: takes the name of a program alone. To look for more'],
  ['command:(rm OR "git push")', '["git push"] command: takes the name of a program alone.'],
  ['command:/usr/bin/', '[/usr/bin/] command: takes the name of a program, also with its folder'],
  ['command:/rm/', '[/rm/] command: takes the name of a program, also with its folder'],
  ['args.edits[*].x:y', "[edits[*].x] 'edits[*]' is no key: write edits.0 for the first"],
  ['args:>5', '[>5] A comparison is of one argument: name it, as in args.limit:>5.'],
  ['after tool:read', "[after] 'after' needs something to find on both sides"],
  ['tool:a after b after c', "[after] Only one 'after' or 'before'"],
  ['in:reviewer', '[in:reviewer] in: takes brackets, such as in:(agent:reviewer).'],
  ['tool:(a b)', '[] Put `OR` between the values'],
  ['tool:(-a)', '[-] Between the brackets of tool:'],
  ['tool:(a OR)', '[(a OR)] `OR` needs a value on both sides'],
  ['role:wizard', '[wizard] role: takes user or assistant'],
  ['tool::Bash', '[:Bash] One colon stands behind tool.'],
  [':x', '[:x] No field stands before the colon.'],
  ['a | b', '[|] For one or the other, write (a OR b)'],
  ['a && b', '[&&] For one or the other, write (a OR b)'],
  ['args.limit:20..10', "[20..10] The range '20..10' is empty"],
  ['x after tool:y -same:path', '[-same:path] `same:` and `within:` cannot be negated'],
])('%s is refused with its place', (text, problem) => {
  expect(wrong(text)[0]).toContain(problem);
});

test.each([
  ['tokens:> 1000', 'tokens:>1000'],
  ['args.path:/a+/scale.ts', 'args.path:"/a+/scale.ts"'],
  ['args.edits[0].x[1]:y', 'args.edits.0.x.1:y'],
  ['!tool:Bash', '-tool:Bash'],
  ['is:err', 'is:error'],
  ['-command:"git push" x', '-args.command:"git push" x'],
  ['command:/rm/', 'command:rm'],
  [' a OR b ', '(a OR b)'],
  ['tool:x a OR "b" OR c', '(tool:x a OR "b" OR c)'],
  ['a AND b', 'a b'],
  ['(a AND b OR c) AND -d', '(a b OR c) -d'],
  ['OR', '"OR"'],
  ['AND', '"AND"'],
  ['NOT b', '"NOT" b'],
  ['tool::Bash', 'tool:Bash'],
  ['a | b', 'a "|" b'],
  [':x', '":x"'],
])('%s is one problem, and with its fix it is %s', (text, fixed) => {
  const { problems } = parseQuery(text);
  expect(problems).toHaveLength(1);
  expect(fixedBy(text, problems[0]!)).toBe(fixed);
  expect(right(fixed)).toBeDefined();
});

test.each([
  ['role:=wizard'],
  ['role:"wizard"'],
  ['role:wiz*'],
  ['role:User'],
  ['args.limit:10..20'],
  ['tokens:>12345678901234567890'],
  ['tool:"::x"'],
])('%s is understood, and so is what is written of it', (text) => {
  expect(wrong(text)).toEqual([]);
  expect(wrong(printQuery(parseQuery(text).query))).toEqual([]);
});

test('brackets behind `same:` and what follows them are one problem', () => {
  expect(wrong('a after tool:b same:(agent OR path) within:1')).toHaveLength(1);
});

describe('any text', () => {
  test('is read or refused within its own places, and never throws', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      'OR',
      '-',
      '"',
      '/',
      ':',
      ' ',
      'after',
      'before',
      'agent:',
      'in:(',
      'args.',
      '\\',
      '>',
      '=',
      '..',
    );
    const text = fc
      .array(fc.oneof(piece, anyText, fc.string({ unit: 'binary', maxLength: 3 })))
      .map((each) => each.join(''));
    fc.assert(
      fc.property(text, (written) => {
        const { query, problems } = parseQuery(written);
        for (const { start, end } of problems) {
          expect(0 <= start && start <= end && end <= written.length).toBe(true);
        }
        if (problems.length > 0) return;
        const again = printQuery(query);
        expect(withoutRanges(right(again))).toEqual(withoutRanges(query));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('of a great size is answered or refused with its place', () => {
    expect(parseQuery('a '.repeat(1_000)).problems).toEqual([]);
    expect(wrong('a '.repeat(1_001))[0]).toMatch(/^\[a\] The question has more than 1000 terms/);
    expect(wrong(`agent:(${'a OR '.repeat(10_001)}b)`)[0]).toContain('more than 1000 terms');
    expect(wrong('('.repeat(1_000) + 'a' + ')'.repeat(1_000))[0]).toBe(
      `[(] More than ${MAX_QUERY_DEPTH} brackets stand within each other: ask in a simpler way.`,
    );
    expect(wrong('in:('.repeat(1_000))[0]).toMatch(/^\[\(\] More than 100 brackets/);
    expect(wrong('in:('.repeat(90))[0]).toContain('The bracket is not closed');
    expect(wrong('('.repeat(50_000))).not.toEqual([]);
    expect(wrong('x'.repeat(MAX_QUERY_LENGTH + 1))[0]).toContain('longer than');
    expect(wrong('"'.repeat(MAX_QUERY_LENGTH - 1))[0]).toContain('runs together');
  });
});

test('what is written asks exactly what was read', () => {
  const vocabulary = {
    texts: ['a', 'two words', 'after', '"', '\\', 'OR', 'x/y'],
    names: { agent: ['Cookie', 'a b'], args: ['path', '"a b"'] },
  };
  fc.assert(
    fc.property(anyQuestion(vocabulary), (text) => {
      const query = right(text);
      expect(withoutRanges(right(printQuery(query)))).toEqual(withoutRanges(query));
    }),
    { numRuns: runs(500) },
  );
});

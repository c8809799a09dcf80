import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeAt } from '../../../../src/query/language/complete.js';
import { describeAt, describeQuery } from '../../../../src/query/language/describe.js';
import { namesAskedFor, valuesOf, withValues } from '../../../../src/query/language/edit.js';
import { FIELDS, KEYWORDS } from '../../../../src/query/language/fields.js';
import type { RowKind } from '../../../../src/query/language/syntax.js';
import { parseQuery } from '../../../../src/query/language/parse.js';
import { anyText } from '../arbitraries.js';
import { anyQuestion } from './questionArbitrary.js';
import { right } from './syntax.js';
import { runs } from '../../../support/fixedInputs.js';

const occurring: Record<string, string[]> = {
  agent: ['Cookie', 'Cook book', 'Pickle'],
  tool: ['Bash', 'Read'],
  file: ['b/src/x.md', 'src/a.ts'],
  command: ['rm', 'My App'],
  args: ['path', 'pattern', 'limit'],
  'args.path': ['src/a.ts', 'README'],
};

/** What is offered where `|` stands, as the text would read with each. */
function offered(marked: string, rows: RowKind = 'records'): string[] {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { start, end, items } = completeAt({ text, rows }, offset, (name) => occurring[name] ?? []);
  return items.map((item) => text.slice(0, start) + item.text + text.slice(end));
}

describe('completion', () => {
  test.each([
    ['ag|', ['agent:']],
    ['-ro|', ['-role:']],
    [
      'is:error (to|',
      ['is:error (tool:', 'is:error (tokens:', 'is:error (tokens.in:', 'is:error (tokens.out:'],
    ],
    ['agent:Co|', ['agent:Cookie', 'agent:"Cook book"']],
    ['agent:Co|kie x', ['agent:Cookie x', 'agent:"Cook book" x']],
    ['agent:"Cook b|', ['agent:"Cook book"']],
    ['agent:=p|', ['agent:=Pickle']],
    ['tool:(Bash OR R|)', ['tool:(Bash OR Read)']],
    [
      'is:|',
      [
        'is:error',
        'is:failed',
        'is:denied',
        'is:cancelled',
        'is:timeout',
        'is:open',
        'is:message',
        'is:partial',
        'is:compaction',
        'is:injected',
        'is:subagent',
        'is:live',
      ],
    ],
    ['a after tool:b same:p|', ['a after tool:b same:path']],
    ['in:(ag|', ['in:(agent:']],
    ['agent:nobody|', []],
    ['tokens:|', []],
    ['file:a.ts|', ['file:"src/a.ts"']],
    ['file:src|', ['file:"src/a.ts"', 'file:"b/src/x.md"']],
    ['command:M|', ['command:="My App"', 'command:rm']],
    ['to|ol:Bash x', ['tool:Bash x', 'tokens:Bash x', 'tokens.in:Bash x', 'tokens.out:Bash x']],
    ['x after y same:(|)', []],
    ['args.|', ['args.path:', 'args.pattern:', 'args.limit:']],
    ['-args.pa|', ['-args.path:', '-args.pattern:']],
    ['x args.li|:5', ['x args.limit:5']],
    ['args.path:|', ['args.path:"src/a.ts"', 'args.path:README']],
    ['args.path:=read|', ['args.path:=README']],
    ['args.path:(|)', ['args.path:("src/a.ts")', 'args.path:(README)']],
    ['args.nothing:|', []],
    ['args:|', []],
    ['args."a b":(|)', []],
    ['x af|', ['x after']],
    ['af|', []],
    ['x bef|', ['x before:', 'x before']],
    ['pa|', ['path:']],
    ['(a o|', ['(a OR']],
    ['tool:(Bash |', ['tool:(Bash OR']],
    ['tool:(Bash O|)', ['tool:(Bash OR)']],
    ['x o|', []],
    ['since:|', ['since:today', 'since:yesterday', 'since:1h', 'since:24h', 'since:7d', 'since:30d']],
  ])('%s', (marked, texts) => {
    expect(offered(marked)).toEqual(texts);
  });

  test('offers every field and keyword once where nothing is written', () => {
    const names = [...FIELDS, ...KEYWORDS].map(({ name }) => `${name}:`);
    expect(offered('|').sort()).toEqual([...new Set(names)].sort());
  });

  test.each([
    ['ro|', 'toolCalls', []],
    ['ro|', 'runs', ['role:']],
    [
      'is:|',
      'toolCalls',
      [
        'is:error',
        'is:failed',
        'is:denied',
        'is:cancelled',
        'is:timeout',
        'is:open',
        'is:subagent',
        'is:live',
      ],
    ],
    ['in:(ro|', 'toolCalls', ['in:(role:']],
    ['tool:x after ro|', 'toolCalls', ['tool:x after role:']],
    ['(tool:x after y OR ro|', 'toolCalls', []],
    ['in:(a) ro|', 'toolCalls', []],
  ] as const)('%s of %s offers what these rows have', (marked, rows, texts) => {
    expect(offered(marked, rows)).toEqual(texts);
  });

  test('says what a date means', () => {
    const { items } = completeAt({ text: 'before:7', rows: 'runs' }, 8, () => []);
    expect(items).toEqual([{ text: '7d', meaning: 'it happened more than 7d ago' }]);
  });

  test('stands within any text, and what it writes into a right one can be read', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, some) => {
        const offset = some % (text.length + 1);
        const { start, end, items } = completeAt({ text, rows: 'records' }, offset, () => ['a "b"']);
        expect(start >= 0 && start <= offset && end >= offset && end <= text.length).toBe(true);
        expect(items.length).toBeLessThanOrEqual(FIELDS.length + KEYWORDS.length + 3);
      }),
    );
    for (const text of ['agent:|', 'x -agent:a|', '(agent:"a|) y']) {
      const [first = ''] = offered(text.replace('agent:a', 'agent:C').replace('"a', '"C'));
      expect(right(first)).toBeDefined();
    }
  });
});

describe('prose', () => {
  test.each([
    ['', 'messages', 'All messages.'],
    [
      'agent:Cookie -tool:(Bash OR Read) "too small"',
      'messages',
      'Messages for which agent is “Cookie” and not (tool is “Bash” or tool is “Read”) and text contains “too small”.',
    ],
    ['command:r*', 'toolCalls', 'Tool calls for which it runs a program like “r*”.'],
    ['command:=r*', 'toolCalls', 'Tool calls for which it runs the program with exactly the name “r*”.'],
    [
      'approval:(denied OR rule)',
      'toolCalls',
      'Tool calls for which it was denied or it was decided by an allow rule.',
    ],
    [
      'tool:edit after tool:read same:path within:10m',
      'toolCalls',
      'Tool calls for which tool is “edit”, which begins after a tool call has ended for which tool is “read”, with the same path, with at most 10m between them.',
    ],
    [
      'tokens:>=10k (is:error OR in:(agent:=A command:rm))',
      'runs',
      'Runs for which tokens are at least 10k, and for which (in it, one message or call meets this: it is an error) or (in it, one message or call meets this: it belongs to a call of an agent (in which one message or call meets all of this: agent is exactly “A” and it runs the program “rm”)).',
    ],
    [
      'tool:Bash (a OR b c) -is:(error OR partial)',
      'messages',
      'Messages for which tool is “Bash” and (text contains “a” or (text contains “b” and text contains “c”)) and not (it is an error or it was cut off).',
    ],
    [
      'tool:(Bash OR Read) x',
      'records',
      'Records for which (tool is “Bash” or tool is “Read”) and text contains “x”.',
    ],
    [
      'agent:Baker -is:error',
      'sessions',
      'Sessions in which one message or call meets all of this: agent is “Baker” and not (it is an error).',
    ],
    [
      '(agent:Baker) (is:error)',
      'sessions',
      'Sessions in which one message or call meets this: agent is “Baker”, and in which one message or call meets this: it is an error.',
    ],
    [
      'tool:read_file -(is:error)',
      'runs',
      'Runs in which one message or call meets this: tool is “read_file”, and in which no message or call meets this: it is an error.',
    ],
    [
      '-tool:bash -is:error',
      'agentCalls',
      'Calls of agents in which no message or call meets any of this: tool is “bash” or it is an error.',
    ],
    [
      '-(tool:bash is:error)',
      'runs',
      'Runs in which no message or call meets all of this: tool is “bash” and it is an error.',
    ],
    [
      'title:cookies -with:(tool:bash is:error)',
      'runs',
      'Runs for which title contains “cookies”, and in which no message or call meets this: tool is “bash” and it is an error.',
    ],
    [
      'tool:bash after tool:edit_file within:2',
      'runs',
      'Runs in which one message or call meets this: tool is “bash”, which begins after a tool call of the same run has ended for which tool is “edit_file”, with at most 2 tool calls between them.',
    ],
    [
      'role:user after is:error within:1',
      'records',
      'Records for which role is “user”, which begins after a record has ended for which it is an error, with at most 1 record between them.',
    ],
    ['since:today', 'records', 'Records for which it happened today or later.'],
    ['since:2026-11', 'records', 'Records for which it happened in 2026-11 or later.'],
    [
      'since:2026-11-21 since:2026-11-21T09:30',
      'records',
      'Records for which it happened on 2026-11-21 or later and it happened at 2026-11-21T09:30 or later.',
    ],
    [
      'word:rm content.word:=Rm tokens.in:>=10k',
      'records',
      'Records for which the text has the word “rm” and the content has the word “Rm”, in this letter case and the tokens that went in are at least 10k.',
    ],
    [
      'file:(src/**/*.ts OR =a.ts OR b.ts)',
      'records',
      'Records for which it names a file like “src/**/*.ts” or it names exactly the file “a.ts” or it names the file “b.ts”.',
    ],
    [
      'since:7d before:2026-11-01',
      'sessions',
      'Sessions in which one message or call meets all of this: it happened within the last 7d and it happened before 2026-11-01.',
    ],
  ] as const)('%s', (text, rows, sentence) => {
    expect(describeQuery(right(text), rows)).toBe(sentence);
  });

  test('tells of the part that is pointed at, however deep it stands', () => {
    const text = 'x in:(agent:Cookie -command:rm)';
    const at = (word: string) => describeAt(parseQuery(text), text.indexOf(word) + 1, 'records');
    expect(at('agent')).toEqual({
      start: 6,
      end: 18,
      summary:
        'It holds where one message or call meets this: agent is “Cookie”; the same one meets what stands beside it.',
      meaning: '`agent:` asks for the agent that speaks or works.',
      example: 'agent:Cookie',
    });
    expect(at('-command')?.summary).toContain('meets this: not (it runs the program “rm”)');
    expect(at('in:')?.meaning).toContain('`in:` asks for what belongs to a call of an agent');
    expect(describeAt(parseQuery('a  b'), 2, 'records')).toBeUndefined();
  });

  test.each([
    ['is:err|or agent:A', 'messages', 'It holds where it is an error.'],
    ['is:err|or', 'runs', 'It holds where one message or call meets this: it is an error.'],
    ['-is:err|or', 'runs', 'It holds where no message or call meets this: it is an error, in the whole row.'],
    ['tokens:|>5 is:error', 'runs', 'It holds where tokens are more than 5.'],
    ['with:(is:err|or)', 'runs', 'It holds where it is an error.'],
    ['-(tool:x) |-(is:error)', 'runs', 'It holds where no message or call meets this: it is an error.'],
  ] as const)('tells what %s of %s asks for', (marked, rows, summary) => {
    const at = marked.indexOf('|');
    expect(describeAt(parseQuery(marked.replace('|', '')), at, rows)?.summary).toBe(summary);
  });

  test.each([
    [
      'aft|er',
      'It holds for what begins after a tool call has ended for which tool is “b”.',
      '`after` asks for',
    ],
    ['same|:agent', 'It holds where both sides have the same agent and path.', '`same:` asks for'],
    ['same:pa|th', 'It holds where both sides have the same agent and path.', '`same:` asks for'],
    ['with|in', 'It holds with at most 5 messages between them.', '`within:` asks for'],
  ])('%s of an order is described where it stands', (marked, summary, meaning) => {
    const text = '(is:error after tool:b same:agent same:path within:5)';
    const offset = text.indexOf(marked.replace('|', '')) + marked.indexOf('|');
    const described = describeAt(parseQuery(text), offset, 'messages');
    expect(described?.summary).toBe(summary);
    expect(described?.meaning).toContain(meaning);
    expect(text.slice(described?.start, described?.end)).toContain(marked.split('|')[0]);
  });

  test('`before` between two sides is the order, and with a colon the field', () => {
    const text = 'tool:a before before:today';
    const at = (offset: number) => describeAt(parseQuery(text), offset, 'toolCalls');
    expect(at(9)?.summary).toContain('has ended before a record begins for which it happened before today');
    expect(at(16)?.meaning).toContain('`before:` asks for');
  });

  test('has words for every question', () => {
    const vocabulary = { texts: ['a b', 'c'], names: { agent: ['A'] } };
    fc.assert(
      fc.property(anyQuestion(vocabulary), (text) => {
        expect(describeQuery(right(text), 'records')).toMatch(/^Records for which .+\.$/s);
        expect(describeQuery(right(text), 'runs')).toMatch(/^Runs (?:for|in) which .+\.$/s);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('menus and text are one question', () => {
  test.each([
    ['', 'agent', ['Cookie'], 'agent:Cookie'],
    ['x agent:A is:error', 'agent', ['B', 'C d'], 'x agent:(B OR "C d") is:error'],
    ['x agent:A is:error agent:B', 'agent', [], 'x is:error'],
    ['  x   agent:A  -tool:b ', 'is', ['error'], '  x   agent:A  -tool:b is:error '],
    ['agent:A   "b"  (c)', 'agent', [], '"b"  (c)'],
    ['x  agent:A   agent:B  y', 'agent', ['C'], 'x  agent:C  y'],
    ['agent:A look after cookies', 'agent', [], undefined],
    ['look after cookies', 'is', ['error'], 'look "after" cookies is:error'],
    ['tool:a after tool:b same:path', 'is', ['error'], 'tool:a is:error after tool:b same:path'],
    ['-agent:A (agent:B)', 'agent', ['C'], '-agent:A (agent:C)'],
    ['agent:(', 'agent', ['C'], undefined],
    ['tool:a after x', 'tool', [], undefined],
    ['', 'agent', ['a', 'A'], 'agent:(=a OR =A)'],
    ['', 'model', ['gpt-*'], 'model:=gpt-*'],
  ])('%s with %s %j', (text, field, values, expected) => {
    expect(withValues(text, field, values)).toBe(expected);
  });

  test('a name of which there is another in other letters is asked for exactly', () => {
    expect(withValues('', 'agent', ['Cookie'], { known: ['Cookie', 'Pickle'] })).toBe('agent:Cookie');
    expect(withValues('', 'agent', ['Cookie'], { known: ['Cookie', 'COOKIE'] })).toBe('agent:=Cookie');
  });

  test('a pattern marks no name: here nobody would end one that takes for ever', () => {
    const query = right('tool:/^(\\w+_?)+$/ tool:=Bash');
    expect(namesAskedFor(query, 'tool', [`mcp__${'a_name_'.repeat(8)}-x`, 'Bash'])).toEqual(['Bash']);
  });

  test('what is chosen is what the text asks for, and nothing else changes', () => {
    const vocabulary = { texts: ['a b', 'after'], names: { agent: ['A'] } };
    fc.assert(
      fc.property(
        anyQuestion(vocabulary),
        fc.array(anyText, { minLength: 1, maxLength: 3 }),
        (text, values) => {
          const changed = withValues(text, 'agent', values) ?? '';
          const query = right(changed);
          expect(valuesOf(query, 'agent').map((value) => value.kind === 'text' && value.text)).toEqual(
            values,
          );
          expect(withValues(changed, 'agent', [])).toBe(withValues(text, 'agent', []));
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('a field that does not exist and a value that it does not take are refused', () => {
    expect(() => withValues('', 'price', ['1'])).toThrow("There is no field 'price'.");
    expect(() => withValues('', 'is', ['eror'])).toThrow('is: takes error');
  });
});

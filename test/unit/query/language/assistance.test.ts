import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeAt } from '../../../../src/query/language/complete.js';
import { describeAt, describeQuery } from '../../../../src/query/language/describe.js';
import { namesAskedFor, valuesOf, withValues } from '../../../../src/query/language/edit.js';
import { FIELDS, KEYWORDS } from '../../../../src/query/language/fields.js';
import { parseQuery } from '../../../../src/query/language/parse.js';
import { anyText } from '../arbitraries.js';
import { anyQuestion } from './questionArbitrary.js';
import { right } from './syntax.js';

const occurring: Record<string, string[]> = {
  agent: ['Cookie', 'Cook book', 'Pickle'],
  tool: ['Bash', 'Read'],
};

/** What is offered where `|` stands, as the text would read with each. */
function offered(marked: string): string[] {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { start, end, items } = completeAt(text, offset, ({ name }) => occurring[name] ?? []);
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
    ['is:|', ['is:error', 'is:message', 'is:partial', 'is:compaction', 'is:subagent', 'is:live']],
    ['a after tool:b same:p|', ['a after tool:b same:path']],
    ['in:(ag|', ['in:(agent:']],
    ['agent:nobody|', []],
    ['tokens:|', []],
  ])('%s', (marked, texts) => {
    expect(offered(marked)).toEqual(texts);
  });

  test('offers every field and keyword once where nothing is written', () => {
    const names = [...FIELDS, ...KEYWORDS].map(({ name }) => `${name}:`);
    expect(offered('|').sort()).toEqual([...new Set(names)].sort());
  });

  test('stands within any text, and what it writes into a right one can be read', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, some) => {
        const offset = some % (text.length + 1);
        const { start, end, items } = completeAt(text, offset, () => ['a "b"']);
        expect(start >= 0 && start <= offset && end >= offset && end <= text.length).toBe(true);
        expect(items.length).toBeLessThanOrEqual(FIELDS.length + KEYWORDS.length);
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
      'Messages for which agent is “Cookie” and not: tool is “Bash” or tool is “Read” and text contains “too small”.',
    ],
    [
      'tool:edit after tool:read same:path within:10m',
      'toolCalls',
      'Tool calls for which tool is “edit”, which begins after one has ended for which tool is “read”, with the same path, at most 10m apart.',
    ],
    [
      'tokens:>=10k (is:error OR in:(agent:=A command:rm))',
      'runs',
      'Runs for which tokens are at least 10k and (it is an error) or (it belongs to a call of an agent for which (agent is exactly “A” and it runs the program “rm”)).',
    ],
    [
      'since:7d before:2026-11-01',
      'sessions',
      'Sessions for which it happened within the last 7d and it happened before 2026-11-01.',
    ],
  ] as const)('%s', (text, rows, sentence) => {
    expect(describeQuery(right(text), rows)).toBe(sentence);
  });

  test('tells of the part that is pointed at, however deep it stands', () => {
    const text = 'x in:(agent:Cookie -command:rm)';
    const at = (word: string) => describeAt(parseQuery(text), text.indexOf(word) + 1);
    expect(at('agent')).toEqual({
      ...{ start: 6, end: 18, summary: 'It holds where agent is “Cookie”.' },
      meaning: '`agent:` asks for the agent that speaks or works.',
      example: 'agent:Cookie',
    });
    expect(at('-command')?.summary).toBe('It holds where not: it runs the program “rm”.');
    expect(at('in:')?.meaning).toContain('`in:` asks for what belongs to a call of an agent');
    expect(describeAt(parseQuery('a  b'), 2)).toBeUndefined();
  });

  test('has words for every question', () => {
    const vocabulary = { texts: ['a b', 'c'], names: { agent: ['A'] } };
    fc.assert(
      fc.property(anyQuestion(vocabulary), (text) => {
        expect(describeQuery(right(text), 'records')).toMatch(/^Records for which .+\.$/s);
      }),
      { numRuns: 300 },
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
      { numRuns: 300 },
    );
  });

  test('a field that does not exist and a value that it does not take are refused', () => {
    expect(() => withValues('', 'price', ['1'])).toThrow("There is no field 'price'.");
    expect(() => withValues('', 'is', ['eror'])).toThrow('is: takes error');
  });
});

import { describe, expect, test } from 'vitest';
import { MessageQuery, queryOfCriteria, type MessageQueryOptions } from '../../../src/library.js';

const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
const messages = [
  { role: 'user', content: 'Why are the cookies so small?' },
  { role: 'assistant', content: null, tool_calls: [call('c1', 'oven')] },
  { role: 'tool', tool_call_id: 'c1', content: '180 degrees' },
];
const query = new MessageQuery(messages);

describe('names in snake_case mean what they say', () => {
  test('criteria', () => {
    expect(query.filter({ tool_name: 'oven' })).toEqual(messages.slice(1));
    expect(query.filter({ tool_name: 'none' })).toEqual([]);
    expect(query.filter({ errors_only: true })).toEqual([]);
    expect(query.filter({ content: 'why', match_case: true })).toEqual([]);
    expect(query.filter({ content: 'cook', whole_word: true })).toEqual([]);
    expect(queryOfCriteria({ tool_name: 'oven' })).toEqual(queryOfCriteria({ toolName: 'oven' }));
  });

  test('options of exports', () => {
    const [first] = JSON.parse(query.export('json', { include_metadata: true })) as object[];
    expect(first).toMatchObject({ index: 0, token_count: 6 });
    expect(query.export('json', { include_metadata: true })).toBe(
      query.export('json', { includeMetadata: true }),
    );
    expect(query.export('csv', { max_content_length: 3 })).toContain('Why...');
    expect(query.export('markdown', { messages: [], is_subset: false })).toBe(
      query.export('markdown', { messages: [], isSubset: false }),
    );
  });

  test('options of a query, and the method', () => {
    const counting = new MessageQuery(messages, { token_counter: { count: () => 1 } });
    expect(counting.stats().uncountedMessages).toBe(0);
    const slow = new MessageQuery([{ role: 'user', content: `${'a'.repeat(40)}b` }], { max_pattern_ms: 20 });
    expect(() => slow.filter({ content: '^(a+)+$', regex: true })).toThrow(
      expect.objectContaining({ code: 'PATTERN_TOO_SLOW' }),
    );
    expect(query.tool_summary()).toEqual(query.toolSummary());
  });

  test('one that is given in both spellings is refused', () => {
    expect(() => query.filter({ toolName: 'a', tool_name: 'b' })).toThrow(
      expect.objectContaining({ code: 'GIVEN_TWICE' }),
    );
  });
});

/** Calls as a program without types makes them. */
const loose = query as unknown as Record<'filter' | 'export', (...given: unknown[]) => unknown>;

test.each<[string, () => unknown, string, string]>([
  [
    'a criterion in other letters',
    () => loose.filter({ Role: 'user' }),
    'UNKNOWN_OPTION',
    "There is no criterion 'Role'. Did you mean 'role'?",
  ],
  [
    'a criterion with a slip',
    () => loose.filter({ toolname: 'oven' }),
    'UNKNOWN_OPTION',
    "There is no criterion 'toolname'. Did you mean 'toolName'?",
  ],
  [
    'a criterion like no other',
    () => loose.filter({ colour: 'red' }),
    'UNKNOWN_OPTION',
    "There is no criterion 'colour'. These are known: role, toolName, agent, content, text, regex, matchCase, wholeWord, errorsOnly, depth, run, call.",
  ],
  [
    'a name that every object has',
    () => loose.filter({ constructor: 'x' }),
    'UNKNOWN_OPTION',
    "There is no criterion 'constructor'. These are known:",
  ],
  [
    'an unknown criterion without a value',
    () => loose.filter({ tool: undefined }),
    'UNKNOWN_OPTION',
    "There is no criterion 'tool'.",
  ],
  [
    'the criterion of a question that is written',
    () => queryOfCriteria({ toolname: 'oven' } as object),
    'UNKNOWN_OPTION',
    "There is no criterion 'toolname'. Did you mean 'toolName'?",
  ],
  ['a criterion of a wrong type', () => loose.filter({ role: 5 }), 'WRONG_TYPE', "The criterion 'role' must"],
  [
    'an option of an export',
    () => loose.export('json', { includeMetdata: true }),
    'UNKNOWN_OPTION',
    "There is no option 'includeMetdata' of export. Did you mean 'includeMetadata'?",
  ],
  [
    'an option of an export in snake_case',
    () => loose.export('csv', { max_content_lenght: 3 }),
    'UNKNOWN_OPTION',
    "There is no option 'max_content_lenght' of export. Did you mean 'maxContentLength'?",
  ],
  [
    'a value of a wrong type',
    () => loose.export('json', { indent: '2' }),
    'WRONG_TYPE',
    "The option 'indent' of export must be a number, not a string.",
  ],
  ['a format', () => loose.export('xml'), 'UNKNOWN_VALUE', "Invalid export format: 'xml'."],
  [
    'options that are none',
    () => loose.export('json', true),
    'WRONG_TYPE',
    'The options of export must be an object, not a boolean.',
  ],
  [
    'an option of the query',
    () => new MessageQuery(messages, { tokenCount: 1 } as MessageQueryOptions),
    'UNKNOWN_OPTION',
    "There is no option 'tokenCount' of MessageQuery. Did you mean 'tokenCounter'?",
  ],
  [
    'a pattern',
    () => query.filter({ content: '[bad', regex: true }),
    'INVALID_PATTERN',
    'Invalid regex pattern:',
  ],
])('%s that is wrong is refused by name', (_what, ask, code, message) => {
  expect(ask).toThrow(message);
  expect(ask).toThrow(expect.objectContaining({ code }));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileCriteria } from '../../../src/query/compileCriteria.js';
import type { FilterCriteria } from '../../../src/query/filterCriteria.js';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import { runs } from '../../support/fixedInputs.js';

const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
const calls = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content });

/** Checks which positions the criteria find. */
function expectFound(items: readonly unknown[], criteria: FilterCriteria, positions: number[]) {
  const found = new MessageQuestions(items).filter(criteria);
  expect(found.map((item) => items.indexOf(item))).toEqual(positions);
}

test('results without a name of their own are found through the call that they answer', () => {
  const items = [calls(call('a', 'grep'), call('b', 'read_file')), result('a'), result('b')];
  expectFound(items, { toolName: 'read_file' }, [0, 2]);
  expectFound(items, { toolName: 'read_file', role: 'tool' }, [2]);
  expectFound(items, { toolName: 'read_file', role: 'assistant' }, [0]);
});

test('a repeated id means the latest call before the result', () => {
  const items = [calls(call('x', 'grep')), result('x'), calls(call('x', 'ls')), result('x')];
  expectFound(items, { toolName: 'grep' }, [0, 1]);
  expectFound(items, { toolName: 'ls' }, [2, 3]);
});

test('an id that one message uses twice is answered in the order of its calls', () => {
  const items = [calls(call('x', 'grep'), call('x', 'ls')), result('x'), result('x'), result('x')];
  expectFound(items, { toolName: 'grep' }, [0, 1]);
  expectFound(items, { toolName: 'ls' }, [0, 2, 3]);
});

test('agents that use the same id at the same time never mix', () => {
  const say = (callId: string, message: object) => ({ seq: 1, type: 'message', call: callId, message });
  const items = [
    say('k1', calls(call('1', 'grep'))),
    say('k2', calls(call('1', 'ls'))),
    say('k1', result('1')),
    say('k2', result('1')),
  ];
  expectFound(items, { toolName: 'grep' }, [0, 2]);
});

test('a result without a name is found by the tool name of its record', () => {
  const items = [{ seq: 1, type: 'message', toolName: 'ls', message: result('9') }];
  expectFound(items, { toolName: 'ls' }, [0]);
});

test('records of other types are no messages', () => {
  const items = [
    { seq: 1, type: 'callStart', task: 'find it' },
    { role: 'user', content: 'find it' },
  ];
  expectFound(items, {}, [1]);
  expect(new MessageQuestions(items).length).toBe(1);
});

test('agent, depth, run and call are those of the record', () => {
  const place = { run: 'r1', call: 'k1', agent: 'Pickle', depth: 1 };
  const message = { role: 'user', content: 'hi' };
  const items = [
    { seq: 1, type: 'message', ...place, message },
    { seq: 2, type: 'message', message },
    message,
  ];
  expectFound(items, { agent: 'Pickle' }, [0]);
  expectFound(items, { depth: 1, run: 'r1', call: 'k1' }, [0]);
  expectFound(items, { depth: 0 }, []);
});

test('a pattern that remembers where it stopped is neither misled nor changed', () => {
  const pattern = /o/g;
  pattern.lastIndex = 3;
  const items = ['foo', 'oh', 'no'].map((content) => ({ role: 'user', content }));
  expectFound(items, { content: pattern }, [0, 1, 2]);
  expectFound(items, { content: /o/y }, [1]);
  expect(pattern.lastIndex).toBe(3);
});

test('an invalid pattern is refused even where there is nothing to search', () => {
  expect(() => new MessageQuestions([]).filter({ content: '[bad', regex: true })).toThrow(
    /^Invalid regex pattern: /,
  );
});

test('a pattern is case-sensitive and knows code points', () => {
  const items = ['Error', 'error', '😀'].map((content) => ({ role: 'user', content }));
  expectFound(items, { content: '^E', regex: true }, [0]);
  expectFound(items, { content: '^.$', regex: true }, [2]);
});

test('literal search is the lower-case comparison, letters outside of ASCII included', () => {
  const alphabet = fc.constantFrom(
    'k',
    'K',
    '\u212a',
    'i',
    'I',
    '\u0130',
    '\u0131',
    'ſ',
    's',
    '.',
    'ß',
    'Σ',
    '[',
    ' ',
  );
  const word = fc.string({ unit: alphabet, maxLength: 6 });
  fc.assert(
    fc.property(word, word, (needle, content) => {
      const matches = compileCriteria({ content: needle }).matches({ role: 'user', content });
      expect(matches).toBe(content.toLowerCase().includes(needle.toLowerCase()));
    }),
    { numRuns: runs(2000) },
  );
});

test('counts that are no whole numbers take whole messages', () => {
  const query = new MessageQuestions(['a', 'b', 'c'].map((content) => ({ role: 'user', content })));
  expect(query.last(0.5)).toEqual([]);
  expect(query.last(1.5)).toHaveLength(1);
  expect(query.first(Number.NaN)).toEqual([]);
  expect(query.last(Number.POSITIVE_INFINITY)).toHaveLength(3);
});

test('several roles, agents and tools: any of them will do', () => {
  const say = (agent: string, message: object) => ({ seq: 1, type: 'message', call: 'k', agent, message });
  const items = [
    say('Pickle', { role: 'user', content: 'read it' }),
    say('Pickle', calls(call('a', 'grep'))),
    say('Cookie', calls(call('b', 'ls'))),
    say('Crumb', { role: 'assistant', content: 'done' }),
  ];
  expectFound(items, { role: ['user', 'system'] }, [0]);
  expectFound(items, { agent: ['Cookie', 'Crumb'] }, [2, 3]);
  expectFound(items, { toolName: ['ls', 'grep'] }, [1, 2]);
  expectFound(items, { role: [] }, []);
});

test('letter case counts or not, as asked', () => {
  const items = [{ role: 'user', content: 'Error 42' }];
  expectFound(items, { content: 'error', matchCase: true }, []);
  expectFound(items, { content: 'Error', matchCase: true }, [0]);
  expectFound(items, { content: 'error \\d+', regex: true }, []);
  expectFound(items, { content: 'error \\d+', regex: true, matchCase: false }, [0]);
});

test('errors are found whatever record tells of them, and searched by their words', () => {
  const at = (type: string, body: object) => ({
    seq: 1,
    call: 'k',
    agent: 'Pickle',
    depth: 0,
    type,
    ...body,
  });
  const items = [
    at('message', { message: result('a'), isError: true }),
    at('message', { message: { role: 'assistant', content: 'half' }, partial: 'error' }),
    at('message', { message: { role: 'assistant', content: 'half' }, partial: 'cancelled' }),
    at('error', { error: { code: 'x', message: 'the disk is full' } }),
    at('request', { error: { code: '429', message: 'slow down' } }),
    at('callEnd', { outcome: 'limited', reason: 'too deep' }),
    at('callEnd', { outcome: 'done' }),
    at('approval', { decision: 'denied' }),
    at('dispatch', { refused: 'no such agent' }),
    at('title', { title: 'x' }),
  ];
  // What was denied is none.
  expectFound(items, { errorsOnly: true }, [0, 1, 3, 4, 5, 8]);
  expectFound(items, { errorsOnly: true, content: 'disk' }, [3]);
  expectFound(items, { errorsOnly: true, role: 'tool' }, [0]);
});

test('a role is asked of messages and of records around them alike, whatever else lies between', () => {
  const record = (role: string) => ({ seq: 1, type: 'message', message: { role, content: 'a' } });
  const items = [record('tool'), { role: 'tool' }, record('user'), null, 'tool', { seq: 2, type: 'error' }];
  expectFound(items, { role: 'tool' }, [0, 1]);
});

test('a call of another tool takes over the id of an earlier call, a call without a name does not', () => {
  const items = [
    calls(call('x', 'grep')),
    calls({ id: 'x', type: 'function', function: {} }),
    result('x'),
    calls(call('x', 'ls')),
    result('x'),
  ];
  expectFound(items, { toolName: 'grep' }, [0, 2]);
});

test.each([
  ['content ""', { content: '' }],
  ['a pattern that matches nothing', { content: '^$|x*', regex: true }],
])('a message without content is not found by %s, a record of a failure is by its reason', (_, criteria) => {
  const items = [
    { role: 'user', content: '' },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'assistant' },
    { role: 'user', content: 'hi' },
    { role: 'user', content: [] },
    { role: 'user', content: { text: 'no parts' } },
  ];
  const found = new MessageQuestions(items).filter(criteria);
  expect(found.map((item) => items.indexOf(item))).toEqual([0, 3, 4]);
  expect(new MessageQuestions(items).filter({ ...criteria, role: 'assistant' })).toEqual([]);
});

test.each<[object | string | null, string]>([
  [{ role: 5 }, "The criterion 'role' must be a string or a list of strings, not a number."],
  [{ role: null }, "The criterion 'role' must be a string or a list of strings, not null."],
  [
    { toolName: ['a', 1] },
    "The criterion 'toolName' must be a string or a list of strings, not a list with a number at index 1.",
  ],
  [{ agent: { name: 'x' } }, "The criterion 'agent' must be a string or a list of strings, not an object."],
  [{ content: 7 }, "The criterion 'content' must be a string or a RegExp, not a number."],
  [{ content: ['a'] }, "The criterion 'content' must be a string or a RegExp, not a list."],
  [{ content: 'a', regex: 'yes' }, "The criterion 'regex' must be true or false, not a string."],
  [{ content: 'a', matchCase: 1 }, "The criterion 'matchCase' must be true or false, not a number."],
  [{ errorsOnly: 'false' }, "The criterion 'errorsOnly' must be true or false, not a string."],
  [{ depth: '0' }, "The criterion 'depth' must be a number, not a string."],
  [{ depth: NaN }, "The criterion 'depth' must be a number, not NaN."],
  [{ run: 1 }, "The criterion 'run' must be a string, not a number."],
  [{ call: true }, "The criterion 'call' must be a string, not a boolean."],
  ['user', 'The criteria must be an object, not a string.'],
  [null, 'The criteria must be an object, not null.'],
])('criteria of wrong types are refused by their name: %j', (criteria, message) => {
  const query = new MessageQuestions([{ role: 'user', content: 'a' }]);
  expect(() => query.filter(criteria as FilterCriteria)).toThrow(
    Object.assign(new TypeError(message), { code: 'WRONG_TYPE' }),
  );
});

test('a criterion that is undefined is none', () => {
  const query = new MessageQuestions([{ role: 'user', content: 'a' }]);
  expect(query.filter({ role: undefined, depth: undefined, content: undefined })).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import { ToolNames } from '../../../src/query/numbers/toolNames.js';
import { ToolPairing } from '../../../src/query/numbers/toolPairing.js';

const call = (id: string, name = 'ls', input: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const asks = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content });
const summary = (...items: unknown[]) => new MessageQuestions(items).toolSummary();

test('a missing result is a hole and moves no other result', () => {
  const [tool] = summary(asks(call('1'), call('2'), call('3')), result('3', 'c'), result('1', 'a'));
  expect(
    tool?.calls.map(({ id, result: text, index, resultIndex }) => [id, text, index, resultIndex]),
  ).toEqual([
    ['1', 'a', 0, 2],
    ['2', null, 0, -1],
    ['3', 'c', 0, 1],
  ]);
});

test('an entry tells what its record tells', () => {
  const place = { seq: 1, type: 'message', call: 'k', agent: 'Pickle' };
  const [tool] = summary(
    { ...place, message: asks(call('1')) },
    { ...place, message: result('1', 'no such file'), isError: true, durationMs: 12 },
  );
  expect(tool?.calls[0]).toMatchObject({
    agent: 'Pickle',
    isError: true,
    durationMs: 12,
    result: 'no such file',
  });
});

test('arguments that are no JSON object are kept as they were written', () => {
  const [tool] = summary(
    asks(call('1', 'ls', 'oops'), call('2', 'ls', { a: 1 }), call('3', 'ls', null), call('4', 'ls', [1])),
  );
  expect(tool?.calls.map((each) => [each.arguments, each.rawArguments])).toEqual([
    [{}, 'oops'],
    [{ a: 1 }, '{"a":1}'],
    [{}, ''],
    [{}, '[1]'],
  ]);
});

test('orphans are counted apart, under their own name or that of the call they repeat', () => {
  const tools = summary(
    asks(call('1', 'grep')),
    result('1', 'a'),
    result('1', 'b'),
    { ...result('9', 'c'), name: 'ls' },
    result('8', 'd'),
  );
  expect(
    tools.map(({ toolName, callCount, orphans }) => [
      toolName,
      callCount,
      orphans.map((each) => each.result),
    ]),
  ).toEqual([
    ['grep', 1, ['b']],
    ['ls', 0, ['c']],
    ['', 0, ['d']],
  ]);
});

test('calls and results without ids pair in their order', () => {
  const [tool] = summary(
    asks({ function: { name: 'ls' } }, { name: 'ls' }),
    { role: 'tool', content: 'a' },
    { role: 'tool', content: 'b' },
  );
  expect(tool).toMatchObject({ callCount: 2, calls: [{ result: 'a' }, { result: 'b' }] });
});

test('a list of ids answers the first, and numbers are ids too', () => {
  const swe = { role: 'tool', tool_call_ids: ['1'], content: 'a' };
  expect(summary(asks(call('1')), swe)).toMatchObject([{ calls: [{ result: 'a' }], orphans: [] }]);
  const numbered = asks({ id: 7, function: { name: 'ls' } });
  expect(summary(numbered, { role: 'tool', tool_call_id: 7, content: 'a' })).toMatchObject([
    { calls: [{ id: '7', result: 'a' }] },
  ]);
});

test('a result that is an object is its JSON', () => {
  expect(summary(asks(call('1')), result('1', { files: 2 }))).toMatchObject([
    { calls: [{ result: '{"files":2}' }] },
  ]);
});

test('the text tells calls, holes, orphans and raw arguments', () => {
  const tools = summary(asks(call('1', 'grep', 'oops')), result('9', 'stray'), {
    role: 'tool',
    name: 'ls',
    content: 'no id',
  });
  expect(String(tools)).toBe(
    [
      'Tool: grep (called 1 time(s))',
      '  [1]',
      '    args: oops',
      '    result: (none)',
      '',
      'Tool: (unnamed) (called 0 time(s))',
      '  [9] (no call)',
      '    result: stray',
      '',
      'Tool: ls (called 1 time(s))',
      '  []',
      '    result: no id',
    ].join('\n'),
  );
  expect(String(tools[0])).toContain('Tool: grep');
});

test('calls are forgotten, the oldest first, where a limit says so', () => {
  const names = new ToolNames(2);
  const pairing = new ToolPairing<string>(2);
  ['a', 'b', 'c', 'a', 'd'].forEach((id, round) => {
    names.next(asks(call(id, id)));
    pairing.open('', id, round, id);
  });
  const remembered = ['a', undefined, 'c', 'd'];
  expect(['a', 'b', 'c', 'd'].map((id) => names.next(result(id)))).toEqual(remembered);
  expect(['a', 'b', 'c', 'd'].map((id) => pairing.answer('', id)?.call)).toEqual(remembered);
});

test('the latest of several calls under one id is the last of them', () => {
  const pairing = new ToolPairing<string>();
  for (const name of ['a', 'b', 'c']) pairing.open('', 'x', 0, name);
  expect(pairing.latest('', 'x')).toBe('c');
  expect(pairing.latest('elsewhere', 'x')).toBeUndefined();
  expect([1, 2, 3, 4].map(() => pairing.answer('', 'x'))).toEqual([
    { call: 'a', again: false },
    { call: 'b', again: false },
    { call: 'c', again: false },
    { call: 'c', again: true },
  ]);
});

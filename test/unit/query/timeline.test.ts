import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import type { Turn } from '../../../src/query/numbers/answers.js';
import { MAX_TURN_DEPTH } from '../../../src/query/numbers/timeline.js';
import { runs } from '../../support/fixedInputs.js';

const call = (id: string, name = 'ls', input = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const asks = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content });
const user = (content: string) => ({ role: 'user', content });
const says = (content: string) => ({ role: 'assistant', content });
const turnsOf = (...items: unknown[]) => new MessageQuestions(items).timeline();

/** A message of one agent's call. */
const at = (callId: string, parentCall: string | undefined, agent: string, message: object) => ({
  seq: 1,
  type: 'message',
  call: callId,
  ...(parentCall !== undefined && { parentCall }),
  agent,
  message,
});

/** A turn as a short text: what was asked, what was done with which result, what was said. */
const story = ({ userContent, toolInteractions, assistantContent }: Turn): string =>
  [
    userContent,
    ...toolInteractions.map(
      ({ toolName, status, result: text, turns }) =>
        `${toolName} ${status} ${text}${turns.length > 0 ? ` {${turns.map(story).join('; ')}}` : ''}`,
    ),
    assistantContent,
  ]
    .filter((part) => part !== null)
    .join(' | ');

test('tool rounds and the final answer are one turn', () => {
  const turns = turnsOf(user('q'), asks(call('1')), result('1', 'r'), says('a'), says('b'));
  expect(turns.map(story)).toEqual(['q | ls answered r | a', 'b']);
  expect(turns.map(({ range }) => range)).toEqual([
    { start: 0, end: 4 },
    { start: 4, end: 5 },
  ]);
});

test('a result after the next prompt stands where it came, and its call says so', () => {
  const turns = turnsOf(user('q'), asks(call('1')), user('wait'), result('1', 'r'), says('a'));
  expect(turns.map(story)).toEqual(['q | ls answeredLater ', 'wait | ls late r | a']);
});

test('a result that nobody asked for stands in its turn, also before any turn', () => {
  expect(turnsOf(result('1', 'r'), user('q')).map(story)).toEqual([' orphan r', 'q']);
  expect(turnsOf(user('q'), says('a'), { ...result('1', 'r'), name: 'grep' }).map(story)).toEqual([
    'q | grep orphan r | a',
  ]);
});

test('a second result of a call is an orphan under the name of its tool', () => {
  const turns = turnsOf(asks(call('1', 'grep')), result('1', 'r'), result('1', 'again'));
  expect(turns.map(story)).toEqual(['grep answered r | grep orphan again']);
});

test('system prompts without a turn after them are context of the last one', () => {
  const turns = turnsOf(
    { role: 'system', content: 'a' },
    user('q'),
    { role: 'developer', content: 'b' },
    { role: 'system' },
  );
  expect(turns.map(({ systemContext, range }) => ({ systemContext, range }))).toEqual([
    { systemContext: 'a\nb', range: { start: 0, end: 4 } },
  ]);
});

test('parts, nulls and refusals are text or nothing', () => {
  const [turn] = turnsOf(
    {
      role: 'user',
      content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }],
    },
    { role: 'assistant', content: null, refusal: 'I may not.' },
  );
  expect(turn).toMatchObject({ userContent: 'ab', assistantContent: 'I may not.' });
});

test('the turns of a dispatched agent stand inside the call that dispatched it', () => {
  const dispatch = {
    seq: 1,
    type: 'dispatch',
    call: 'k1',
    toolCallId: '1',
    childCall: 'k2',
    agent: 'Pickle',
  };
  const turns = turnsOf(
    at('k1', undefined, 'Pickle', user('q')),
    at('k1', undefined, 'Pickle', asks(call('0', 'ls'), call('1', 'subagent_dispatch'))),
    dispatch,
    at('k2', 'k1', 'Cucumber', user('task')),
    at('k2', 'k1', 'Cucumber', asks(call('1', 'grep'))),
    at('k2', 'k1', 'Cucumber', result('1', 'found')),
    at('k2', 'k1', 'Cucumber', says('done')),
    at('k1', undefined, 'Pickle', result('0', 'files')),
    at('k1', undefined, 'Pickle', result('1', 'done')),
    at('k1', undefined, 'Pickle', says('a')),
  );
  expect(turns.map(story)).toEqual([
    'q | ls answered files | subagent_dispatch answered done {task | grep answered found | done} | a',
  ]);
  expect(turns[0]).toMatchObject({ agent: 'Pickle', range: { start: 0, end: 9 } });
  expect(turns[0]?.toolInteractions[1]?.turns[0]).toMatchObject({
    index: 0,
    agent: 'Cucumber',
    range: { start: 2, end: 6 },
  });
});

test('a call that names the tool call it comes from needs no dispatch record', () => {
  const turns = turnsOf(
    at('k1', undefined, 'Pickle', asks(call('0', 'a'), call('1', 'b'))),
    { seq: 1, type: 'callStart', call: 'k2', parentCall: 'k1', toolCallId: '1', task: 't' },
    at('k2', 'k1', 'Cucumber', says('x')),
  );
  expect(turns.map(story)).toEqual(['a unanswered  | b unanswered  {x}']);
});

test('where no record tells who dispatched whom, agents go to the waiting calls in order', () => {
  const turns = turnsOf(
    at('k1', undefined, 'Pickle', asks(call('0', 'a'), call('1', 'b'))),
    at('k2', 'k1', 'Cucumber', says('x')),
    at('k3', 'k1', 'Gherkin', says('y')),
    at('k4', 'k1', 'Dill', says('z')),
  );
  expect(turns.map(story)).toEqual(['a unanswered  {x} | b unanswered  {y} |  unseen  {z}']);
});

test('an agent whose caller is not there stands at the top', () => {
  expect(
    turnsOf(at('k2', 'k1', 'Cucumber', says('x')), at('k3', undefined, 'Pickle', says('y'))).map(story),
  ).toEqual(['x', 'y']);
});

test('calls that claim to have dispatched each other do no harm', () => {
  expect(turnsOf(at('a', 'b', 'A', says('x')), at('b', 'a', 'B', says('y'))).map(story)).toEqual([
    ' unseen  {y} | x',
  ]);
});

test('agents nest only so deep', () => {
  const items = Array.from({ length: 3 * MAX_TURN_DEPTH }, (_, depth) =>
    at(`k${depth}`, depth === 0 ? undefined : `k${depth - 1}`, 'A', asks(call('1'))),
  );
  const turns = turnsOf(...items);
  expect(turns).toHaveLength(3);
  expect(String(turns).split('\n').length).toBeGreaterThan(3 * MAX_TURN_DEPTH);
});

test('in records a role that nobody knows is an agent that speaks', () => {
  const turns = turnsOf(
    at('k1', undefined, 'assistant', { role: 'human', content: 'q' }),
    at('k1', undefined, 'Orchestrator', { role: 'Orchestrator (thought)', content: 'hm' }),
    at('k1', undefined, 'WebSurfer', { role: 'WebSurfer', content: 'found' }),
  );
  expect(turns.map(story)).toEqual(['q | hm', 'found']);
  expect(turns.map(({ agent }) => agent)).toEqual(['Orchestrator', 'WebSurfer']);
});

test('the text of a timeline shows nested turns below their call and what never came', () => {
  const turns = turnsOf(
    at('k1', undefined, 'Pickle', user('q')),
    at(
      'k1',
      undefined,
      'Pickle',
      asks(call('1', 'dispatch', '{"to": "Cucumber"}'), call('2', 'ls', 'not json')),
    ),
    at('k2', 'k1', 'Cucumber', says('one\n\ntwo')),
    at('k1', undefined, 'Pickle', result('1', 'done')),
    at('k1', undefined, 'Pickle', result('9', 'stray')),
  );
  expect(String(turns)).toBe(
    [
      'Turn 0 (Pickle):',
      '  User: q',
      '  Tool interactions:',
      '    [dispatch] id=1',
      '      args: {"to":"Cucumber"}',
      '      Turn 0 (Cucumber):',
      '        Assistant: one',
      '',
      '      two',
      '      result: done',
      '    [ls] id=2 (never answered)',
      '      args: not json',
      '    [(unnamed)] id=9 (no call)',
      '      result: stray',
    ].join('\n'),
  );
});

test('after an empty answer the next text belongs to the turn of its prompt', () => {
  const nothing = { role: 'assistant', content: null };
  expect(turnsOf(user('q'), says(''), says('a'), says('b')).map(story)).toEqual(['q | a', 'b']);
  expect(turnsOf(user('q'), nothing, nothing, says('a')).map(story)).toEqual(['q | a']);
  expect(turnsOf(user('q'), asks(call('1')), result('1', 'r'), says(''), says('a')).map(story)).toEqual([
    'q | ls answered r | a',
  ]);
  expect(turnsOf(user('q'), says(''), user('again'), says('a')).map(story)).toEqual(['q | ', 'again | a']);
});

test('the ranges of turns cover every message of a history once, wherever system messages stand', () => {
  const message = fc.constantFrom<object>(
    user('q'),
    says('a'),
    says(''),
    { role: 'system', content: 'note' },
    { role: 'developer', content: '' },
    { role: 'moderator', content: 'hm' },
    asks(call('1')),
    result('1'),
  );
  const history = fc.array(message, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(history, (items) => {
      const turns = turnsOf(user('first'), ...items);
      const seen = turns.flatMap(({ range: { start, end } }) =>
        Array.from({ length: end - start }, (_, offset) => start + offset),
      );
      expect(seen).toEqual(Array.from({ length: items.length + 1 }, (_, index) => index));
    }),
    { numRuns: runs(2_000) },
  );
});

test('what stands before the first turn lies in its range', () => {
  const strange = { role: 'moderator', content: 'hm' };
  expect(
    turnsOf(strange, { role: 'system', content: 's' }, strange, user('q')).map(({ range }) => range),
  ).toEqual([{ start: 0, end: 4 }]);
  expect(turnsOf(strange, strange)).toEqual([]);
});

/** Agents that dispatch each other, each the next: `count` calls deep. */
const chain = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    at(`k${n}`, n > 0 ? `k${n - 1}` : undefined, `A${n}`, asks(call(`c${n}`))),
  );

test('the text of nested turns is written line by line, each once', () => {
  const turns = new MessageQuestions(chain(640)).timeline();
  const replace = vi.spyOn(String.prototype, 'replace');
  const text = String(turns);
  const handled = replace.mock.contexts.reduce<number>((sum, context) => sum + String(context).length, 0);
  replace.mockRestore();
  expect(text.split('\n').filter((line) => line.includes('Turn 0 (A'))).toHaveLength(640 - 9);
  expect(handled).toBeLessThan(text.length);
});

test.each([1_000, 100_000])(
  'arguments of %i levels stay text, and the turns and tools can be written as JSON',
  (levels) => {
    const deep = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const query = new MessageQuestions([user('q'), asks(call('1', 'ls', deep))]);
    const [turn] = query.timeline();
    expect(turn?.toolInteractions[0]).toMatchObject({ arguments: {}, rawArguments: deep });
    const written = JSON.parse(JSON.stringify([query.timeline(), query.toolSummary()])) as unknown[][];
    expect(JSON.stringify(written)).toContain('"arguments":{}');
  },
);

test('arguments that an endpoint gives as a value that contains itself can be written as JSON', () => {
  const self: Record<string, unknown> = { a: 1 };
  self.self = self;
  const looped = { id: '1', function: { name: 'ls', arguments: self } };
  const query = new MessageQuestions([user('q'), asks(looped)]);
  expect(JSON.stringify([query.timeline(), query.toolSummary()])).toContain('[circular]');
});

test('arguments of a few hundred levels stay what they are', () => {
  const deep = `{"a":${'['.repeat(300)}${']'.repeat(300)}}`;
  const [turn] = turnsOf(user('q'), asks(call('1', 'ls', deep)));
  expect(turn?.toolInteractions[0]?.arguments).toEqual(JSON.parse(deep));
});

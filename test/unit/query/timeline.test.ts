import { expect, test } from 'vitest';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import { MAX_TURN_DEPTH, type Turn } from '../../../src/query/timeline.js';

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

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf, type ChatMessage } from '../../../../src/core/message.js';
import {
  HistoryGuard,
  LOST_ANSWER,
  repairHistory,
} from '../../../../src/agents/loop/history/repairHistory.js';
import { runs } from '../../../support/fixedInputs.js';
import { sentHistory } from '../../../support/sentHistory.js';
import { violationOfHistory } from '../../../support/wireRules.js';

const user = (content: string | null = 'go'): ChatMessage => ({ role: 'user', content });
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 't', arguments: '{}' } })),
});
const answer = (id: string, content = `for ${id}`): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

/** A history in short: `u`, `a`, `calls a b`, `a: text`. */
function short(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ role, content, tool_calls: made, tool_call_id: id }) => {
    if (role === 'tool') return `${id}: ${textOf(content)}`;
    return made?.length ? `calls ${made.map((call) => call.id).join(' ')}` : `${role}: ${textOf(content)}`;
  });
}

const url = 'data:image/png;base64,AAAA';
const picture = (address: string) => ({ type: 'image_url', image_url: { url: address } });
const text = (said: string) => ({ type: 'text', text: said });

test('an answer of a text and pictures is not touched; other parts of it become text or go', () => {
  const good: ChatMessage = { ...answer('a'), content: [text('seen'), picture(url)] };
  expect(repairHistory([user(), calls('a'), good]).messages[2]).toBe(good);
  const odd: ChatMessage = {
    ...answer('a'),
    content: [picture(url), text('se'), picture('https://example.org/x.png'), text('en'), { type: 'audio' }],
  };
  expect(repairHistory([user(), calls('a'), odd]).messages[2]?.content).toEqual(good.content);
  const none: ChatMessage = { ...answer('a'), content: [text('seen'), { type: 'audio' }] };
  expect(repairHistory([user(), calls('a'), none]).messages[2]?.content).toBe('seen');
});

test('a valid history is not touched', () => {
  const history = [
    user(),
    calls('a', 'b'),
    answer('b'),
    answer('a'),
    { role: 'assistant', content: 'ok' } as const,
  ];
  const repaired = repairHistory(history);
  expect(repaired.repairs).toBe(0);
  expect(repaired.messages.every((message, index) => message === history[index])).toBe(true);
});

test.each<[string, ChatMessage[], string[]]>([
  ['a call without an answer gets one', [user(), calls('a')], ['user: go', 'calls a', `a: ${LOST_ANSWER}`]],
  [
    'only the missing one of several',
    [calls('a', 'b'), answer('a'), user()],
    ['calls a b', 'a: for a', `b: ${LOST_ANSWER}`, 'user: go'],
  ],
  ['an answer without a call goes', [user(), answer('x'), user('on')], ['user: go', 'user: on']],
  ['a second answer goes', [calls('a'), answer('a'), answer('a', 'again')], ['calls a', 'a: for a']],
  [
    'what was said in between waits for the answers',
    [calls('a'), user('quick'), answer('a')],
    ['calls a', 'a: for a', 'user: quick'],
  ],
  [
    'an answer that comes after the next message is too late',
    [calls('a'), { role: 'assistant', content: 'hm' }, answer('a')],
    ['calls a', `a: ${LOST_ANSWER}`, 'assistant: hm'],
  ],
  [
    'an id may come again later',
    [calls('a'), answer('a', '1'), calls('a'), answer('a', '2')],
    ['calls a', 'a: 1', 'calls a', 'a: 2'],
  ],
  ['a prompt without a word says so', [user(null)], ['user: (empty)']],
  [
    'an empty answer says so',
    [user(), { role: 'assistant', content: '' }],
    ['user: go', 'assistant: (no answer)'],
  ],
  ['an empty list of calls goes', [{ role: 'assistant', content: 'hm', tool_calls: [] }], ['assistant: hm']],
])('%s', (_, history, expected) => {
  expect(short(repairHistory(history).messages)).toEqual(expected);
});

test('two calls of one id become two, each with its answer by position', () => {
  const { messages } = repairHistory([calls('a', 'a'), answer('a', 'first'), answer('a', 'second')]);
  const [first, second] = messages[0]?.tool_calls ?? [];
  expect(first?.id).toBe('a');
  expect(second?.id).not.toBe('a');
  expect(short(messages.slice(1))).toEqual(['a: first', `${second?.id}: second`]);
});

test.each([
  ['', '{}'],
  ['{"a":', '{"unreadable":"{\\"a\\":"}'],
  ['[1]', '{"unreadable":"[1]"}'],
  ['null', '{"unreadable":"null"}'],
])('the arguments %j are sent as %s', (given, sent) => {
  const call = { id: 'a', type: 'function', function: { name: 'no such name!', arguments: given } } as const;
  const { messages } = repairHistory([{ role: 'assistant', content: null, tool_calls: [call] }]);
  expect(messages[0]?.tool_calls?.[0]?.function).toEqual({ name: 'no_such_name_', arguments: sent });
});

/** Messages as a broken or foreign file may hold them. */
const anything = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(null, 5, 'text', [], {}), weight: 1 },
  {
    weight: 20,
    arbitrary: fc.record(
      {
        role: fc.constantFrom(
          'system',
          'user',
          'assistant',
          'tool',
          'tool',
          'assistant',
          'function',
          'model',
          7,
        ),
        content: fc.oneof(
          fc.constantFrom<unknown>(
            null,
            5,
            {},
            [null, 5, { type: 'text' }, {}, [], { type: 'text', text: 'x' }],
            [7],
          ),
          fc.string(),
          fc.constant([{ type: 'text', text: 'part' }]),
        ),
        tool_call_id: fc.constantFrom('a', 'b', 'c', ''),
        tool_calls: fc.oneof(
          fc.constantFrom<unknown>(null, {}, 'calls', 5),
          fc.array(
            fc.oneof(
              fc.constantFrom<unknown>(null, 5, { id: 'a' }, { id: 'a', function: null }),
              fc.record({
                id: fc.constantFrom('a', 'b', 'c', '', 'x'.repeat(50)),
                type: fc.constant('function'),
                function: fc.record({
                  name: fc.constantFrom('t', 'odd name', 'ü'),
                  arguments: fc.constantFrom('{}', '', '{"a":1}', '{"a', '[]'),
                }),
              }),
            ),
            { maxLength: 4 },
          ),
        ),
      },
      { requiredKeys: ['role'] },
    ),
  },
);

test('whatever a history holds, the repaired one is taken by the strictest provider', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 12 }), (history) => {
      const { messages } = repairHistory(history as unknown as ChatMessage[]);
      expect(violationOfHistory(sentHistory(messages))).toBeUndefined();
      expect(repairHistory(messages).repairs).toBe(0);
    }),
    { numRuns: runs(2_000) },
  );
});

test('repairing piece by piece gives a valid history too, and looks at each message once', () => {
  let looks = 0;
  const counted = (message: ChatMessage): ChatMessage =>
    new Proxy(message, {
      get: (target, key) => (key === 'role' && looks++, Reflect.get(target, key) as unknown),
    });
  const guard = new HistoryGuard();
  const messages: ChatMessage[] = [];
  for (let turn = 0; turn < 1_000; turn++) {
    messages.push(counted(calls(`t${turn}`)), counted(answer(`t${turn}`)));
    expect(guard.repair(messages)).toBe(0);
  }
  expect(looks).toBeLessThan(1_000 * 2 * 8);
  messages.push(calls('open'));
  expect(guard.repair(messages)).toBe(1);
  expect(messages.at(-1)).toEqual(answer('open', LOST_ANSWER));
});

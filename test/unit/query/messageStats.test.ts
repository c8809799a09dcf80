import { expect, test } from 'vitest';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';

const usage = (inputTokens: number, outputTokens: number, more = {}) => ({
  inputTokens,
  outputTokens,
  estimated: false,
  ...more,
});
const record = (agent: string, message: object, more = {}) => ({
  seq: 1,
  type: 'message',
  call: `k-${agent}`,
  agent,
  message,
  ...more,
});
const counter = { count: (text: string) => text.length };
const stats = (items: unknown[], tokenCounter?: { count: (text: string) => number }) =>
  new MessageQuestions(items, { tokenCounter }).stats();

test('what the provider reported is exact, the rest is counted', () => {
  const told = record('Pickle', { role: 'assistant', content: 'abc' }, { usage: usage(100, 7) });
  const counted = record('Pickle', { role: 'user', content: 'abc' });
  expect(stats([told, counted], counter)).toMatchObject({
    exactTokens: 7,
    estimatedTokens: 10,
    totalTokens: 17,
    tokensByRole: { assistant: 7, user: 10 },
    uncountedMessages: 0,
  });
  expect(stats([told, counted])).toMatchObject({
    totalTokens: 7,
    tokensByRole: { assistant: 7 },
    uncountedMessages: 1,
  });
});

test('usage that the provider did not tell itself is no exact count', () => {
  const guessed = record(
    'Pickle',
    { role: 'assistant', content: 'abc' },
    { usage: usage(1, 7, { estimated: true }) },
  );
  expect(stats([guessed], counter)).toMatchObject({
    exactTokens: 0,
    usage: { estimated: true, outputTokens: 7 },
  });
});

test('usage that is no usage counts for nothing', () => {
  const items = [{ inputTokens: 'many' }, { outputTokens: -1 }, { outputTokens: Number.NaN }, 42].map((odd) =>
    record('Pickle', { role: 'assistant', content: '' }, { usage: odd }),
  );
  expect(stats(items)).toMatchObject({ exactTokens: 0, usage: { inputTokens: 0, outputTokens: 0 } });
});

test('a request and its answer tell the same cost, which is counted once', () => {
  const answer = record('Pickle', { role: 'assistant', content: 'a' }, { usage: usage(10, 2) });
  const request = {
    seq: 2,
    type: 'request',
    call: 'k-Pickle',
    usage: usage(10, 2, { cachedInputTokens: 4 }),
  };
  const retry = { seq: 3, type: 'request', call: 'k-Pickle', usage: usage(10, 0) };
  const other = record('Cucumber', { role: 'assistant', content: 'b' }, { usage: usage(5, 1) });
  expect(stats([request, answer, retry, other]).usage).toEqual({
    inputTokens: 25,
    outputTokens: 3,
    cachedInputTokens: 4,
    estimated: false,
  });
});

test('each agent has the numbers of its own messages, whatever its name', () => {
  const items = [
    record('__proto__', { role: 'user', content: 'a' }),
    record('Cucumber', { role: 'assistant', content: 'b' }),
    record('Cucumber', { role: 'tool', content: 'c' }),
    { role: 'user', content: 'nobody' },
  ];
  const { byAgent } = stats(items, counter);
  expect(Object.keys(byAgent)).toEqual(['__proto__', 'Cucumber']);
  expect(byAgent.Cucumber).toMatchObject({ totalMessages: 2, messagesByRole: { assistant: 1, tool: 1 } });
  expect(Object.getOwnPropertyDescriptor(byAgent, '__proto__')?.value).toMatchObject({ totalMessages: 1 });
});

test('the text names agents and shares where there are any', () => {
  const items = [
    record('B', { role: 'assistant', content: 'abc' }, { usage: usage(100, 7) }),
    record('A', { role: 'user', content: 'abc' }),
  ];
  expect(String(stats(items, counter))).toBe(
    [
      'Message Statistics',
      '  Total messages: 2',
      '  Total tokens:   17 (7 exact, 10 estimated)',
      '  Avg tokens/msg: 8.5',
      '  Messages by role:',
      '    assistant: 1',
      '    user: 1',
      '  Tokens by role:',
      '    assistant: 7',
      '    user: 10',
      '  Agent A:',
      '    Total messages: 1',
      '    Total tokens:   10',
      '    Avg tokens/msg: 10.0',
      '    Messages by role:',
      '      user: 1',
      '    Tokens by role:',
      '      user: 10',
      '  Agent B:',
      '    Total messages: 1',
      '    Total tokens:   7',
      '    Avg tokens/msg: 7.0',
      '    Messages by role:',
      '      assistant: 1',
      '    Tokens by role:',
      '      assistant: 7',
    ].join('\n'),
  );
});

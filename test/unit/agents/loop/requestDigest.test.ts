import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import type { LogRecord } from '../../../../src/core/record.js';
import { RequestDigest } from '../../../../src/agents/loop/requestDigest.js';
import { anAgent, ask, aTeam, aTool, use } from '../../../support/scriptedTeam.js';

const tool = (name: string, description = name) => ({ name, description, parameters: { type: 'object' } });

function digestOf(messages: readonly ChatMessage[], settings = {}): string {
  return new RequestDigest({ model: 'm', tools: [tool('a'), tool('b')], ...settings }).of(messages);
}

const asked: readonly ChatMessage[] = [
  { role: 'system', content: 'You bake.' },
  { role: 'user', content: 'A cake.' },
];

function called(id: string): readonly ChatMessage[] {
  const call = { id, type: 'function', function: { name: 'a', arguments: '{}' } } as const;
  return [
    ...asked,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: 'flour' },
  ];
}

test('all that is asked counts, but for ids, the order of keys and the order of tools', () => {
  expect(digestOf(asked)).toMatch(/^[\da-f]{64}$/);
  expect(digestOf(called('x'))).toBe(digestOf(called('y')));
  expect(digestOf(asked.map(({ role, content }) => ({ content, role }) as ChatMessage))).toBe(
    digestOf(asked),
  );
  expect(digestOf(asked, { tools: [tool('b'), tool('a')] })).toBe(digestOf(asked));
  const others = [
    digestOf([asked[0]!, { role: 'user', content: 'A cake!' }]),
    digestOf(asked, { tools: [tool('a'), tool('b', 'another')] }),
    digestOf(asked, { tools: [tool('a')] }),
    digestOf(asked, { model: 'n' }),
    digestOf(asked, { effort: 'high' }),
    digestOf(called('x').slice(0, 3)),
    digestOf(called('x')),
  ];
  expect(new Set([...others, digestOf(asked)]).size).toBe(8);
});

test('two calls that are confused with each other are no longer the same', () => {
  const twice = (first: string, second: string): readonly ChatMessage[] => [
    ...called('x').slice(0, 2),
    {
      role: 'assistant',
      content: null,
      tool_calls: ['x', 'y'].map((id) => ({
        id,
        type: 'function',
        function: { name: 'a', arguments: '{}' },
      })),
    },
    { role: 'tool', tool_call_id: first, content: 'flour' },
    { role: 'tool', tool_call_id: second, content: 'sugar' },
  ];
  expect(digestOf(twice('x', 'y'))).not.toBe(digestOf(twice('y', 'x')));
});

test('message by message it comes to the same as at once', () => {
  const digest = new RequestDigest({ model: 'm', tools: [tool('a'), tool('b')] });
  const messages = called('x');
  expect(messages.map((_, at) => digest.of(messages.slice(0, at + 1)))).toEqual(
    messages.map((_, at) => digestOf(messages.slice(0, at + 1))),
  );
  digest.reset();
  expect(digest.of(asked)).toBe(digestOf(asked));
});

test('a run records what a replay needs: digests, the schemas of tools once, settings and limits', async () => {
  const script = {
    Pickle: [ask('Cookie', 'bake'), use('note'), { text: 'done' }],
    Cookie: [use('note'), { text: 'baked' }],
  };
  const cookie = anAgent('Cookie', { effort: 'low', maxTurns: 7, agents: [] });
  const team = aTeam(['Pickle', cookie], { script, tools: [aTool('note', () => 'noted')] });
  await team.session.run('go');
  const digests = team.records.flatMap((record) => (record.type === 'request' ? [record.digest] : []));
  expect(digests).toHaveLength(5);
  expect(new Set(digests).size).toBe(5);
  const starts = team.records.filter(
    (record): record is LogRecord & { type: 'callStart' } => record.type === 'callStart',
  );
  expect(starts.map(({ schemas }) => schemas?.map(({ name, parallel }) => [name, parallel]))).toEqual([
    [
      ['subagent_dispatch', true],
      ['note', true],
    ],
    undefined,
  ]);
  expect(starts[1]?.settings).toEqual({ effort: 'low', maxTurns: 7 });
  expect(starts[0]?.limits).toMatchObject({ steps: 100, maxDepth: 5 });
  expect(starts[1]?.limits).toBeUndefined();
  await team.session.run('go');
  const again = team.records.flatMap((record) => (record.type === 'request' ? [record.digest] : []));
  expect(again[5]).not.toBe(again[0]);
});

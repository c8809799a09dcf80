import { expect, test } from 'vitest';
import type { Model, ModelEvent } from '../../../../src/core/ports/model.js';
import { aTeam, aTool, said } from '../../../support/scriptedTeam.js';

/** A run with a model whose adapter gives these events for its only request. */
async function ran(...events: readonly unknown[]) {
  const model: Model = {
    id: 'odd/one',
    label: 'Odd One',
    kind: 'http',
    endpoint: 'odd',
    async *stream() {
      yield* events as readonly ModelEvent[];
    },
  };
  const team = aTeam(['Pickle'], { model });
  const result = await team.session.run('go');
  const answer = team.records.find(
    (record) => record.type === 'message' && record.message.role === 'assistant',
  );
  return { team, result, usage: answer?.type === 'message' ? answer.usage : undefined };
}

const text = { type: 'text', text: 'ok' };
const end = { type: 'end', finishReason: 'stop' };

test.each([
  ['negative', { inputTokens: -5, outputTokens: 2, estimated: false }, 'inputTokens: -5'],
  ['not a number', { inputTokens: NaN, outputTokens: 2, estimated: false }, 'inputTokens: NaN'],
  ['infinite', { inputTokens: Infinity, outputTokens: 2, estimated: false }, 'inputTokens: Infinity'],
  [
    'beyond what can be added',
    { inputTokens: 1e300, outputTokens: 2, estimated: false },
    'inputTokens: 1e+300',
  ],
  ['a text', { inputTokens: '7', outputTokens: 2, estimated: false }, 'inputTokens: string'],
])(
  'a usage that is %s is left out, the rest is an estimate, and the log says so',
  async (_, usage, words) => {
    const heard = await ran(text, { type: 'usage', usage }, end);
    expect(heard.result.outcome).toBe('done');
    const rest = { inputTokens: 0, outputTokens: 2, estimated: true, terms: ['implausible'] };
    expect(heard.usage).toEqual(rest);
    expect(heard.team.config.usage.all()).toEqual(rest);
    expect(heard.team.log.lines.join('\n')).toContain(
      `Odd One reports a usage that cannot be true and is left out: ${words}`,
    );
  },
);

test('a usage without a true number is none', async () => {
  const usage = { inputTokens: -1, outputTokens: NaN, cachedInputTokens: 5, estimated: false };
  expect((await ran(text, { type: 'usage', usage }, end)).usage).toBeUndefined();
  expect((await ran(text, { type: 'usage', usage: null }, end)).usage).toBeUndefined();
});

test('wrong details of a usage are left out alone', async () => {
  const usage = {
    inputTokens: 9.2,
    outputTokens: 2,
    cachedInputTokens: -1,
    reasoningTokens: 1,
    estimated: false,
  };
  const heard = await ran(text, { type: 'usage', usage }, end);
  expect(heard.usage).toEqual({
    inputTokens: 10,
    outputTokens: 2,
    reasoningTokens: 1,
    estimated: false,
    terms: ['implausible'],
  });
});

test('a call without a name is recorded and answered, and the model may correct itself', async () => {
  const steps = [
    { toolCalls: [{ name: '', arguments: { path: 'a' } }] },
    { toolCalls: [{ name: 'time' }] },
    { text: 'Noon.' },
  ];
  const { lines, result, team } = await said(steps, [aTool('time', () => 'noon')]);
  expect(result).toMatchObject({ outcome: 'done', text: 'Noon.' });
  expect(lines.slice(0, 2)).toEqual([
    '0 Pickle message assistant: ()',
    "0 Pickle message tool [error]: There is no tool ''.",
  ]);
  const sentBack = team.model.requests[1]?.messages.at(-2);
  expect(sentBack).toMatchObject({
    tool_calls: [{ function: { name: 'unnamed', arguments: '{"path":"a"}' } }],
  });
});

test('a model that never says which tool it means does not end as done', async () => {
  const steps = Array.from({ length: 9 }, (_, n) => ({ toolCalls: [{ name: '', arguments: { n } }] }));
  const { result } = await said(steps, [aTool('time', () => 'noon')]);
  expect(result).toMatchObject({ outcome: 'limited', error: { code: 'corrections' } });
});

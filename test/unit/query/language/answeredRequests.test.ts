import { expect, test } from 'vitest';
import { evaluate } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { PRICES } from './judge.js';

const record = (seq: number, body: object) => ({
  seq,
  id: `m${seq}`,
  time: 1_790_000_000_000 + seq,
  conversation: 'c',
  run: 'r',
  call: 'k',
  agent: 'a',
  depth: 0,
  model: 'gpt-4o',
  ...body,
});
const said = (seq: number, message: object) => record(seq, { type: 'message', message });

/** As Codex records: usage stands in records of its own, beside the answers. */
const items = [
  said(1, { role: 'user', content: 'Bake' }),
  said(2, {
    role: 'assistant',
    content: 'Baking',
    tool_calls: [{ id: 't', type: 'function', function: { name: 'bake', arguments: '{}' } }],
  }),
  record(3, { type: 'request', usage: { inputTokens: 5_000, outputTokens: 100, estimated: false } }),
  said(4, { role: 'tool', tool_call_id: 't', content: 'Baked' }),
  said(5, { role: 'assistant', content: 'Done' }),
  record(6, { type: 'request', usage: { inputTokens: 90, outputTokens: 9, estimated: false } }),
];

async function found(question: string, asked: readonly object[] = items): Promise<readonly number[]> {
  const planned = planQuery(question, { rows: 'messages', now: 0, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const evaluation = evaluate(planned.plan, sessionFacts(asked, { session: 'c' }, PRICES), (work) => {
    work();
    return true;
  });
  let step = evaluation.next(() => undefined);
  while (!step.done) step = evaluation.next((position) => asked[position] as never);
  return step.value.ok ? step.value.indexes : [];
}

test('tokens and cost of a request are asked of the message that answers it', async () => {
  expect(await found('tokens:>1000')).toEqual([1]);
  expect(await found('tokens.out:9')).toEqual([4]);
  expect(await found('cost:>0')).toEqual([1, 4]);
});

test('a model has written its answers, and not what a tool gave it', async () => {
  expect(await found('model:gpt-4o')).toEqual([1, 4]);
});

test('a request after a person spoke is answered after it, and not by what was said before', async () => {
  const told = [
    said(1, { role: 'assistant', content: 'Ask me' }),
    said(2, { role: 'user', content: 'Bake' }),
    record(3, { type: 'request', usage: { inputTokens: 5_000, outputTokens: 100, estimated: false } }),
    said(4, { role: 'assistant', content: 'Baked' }),
  ];
  expect(await found('tokens:>1000', told)).toEqual([3]);
});

import { expect, test } from 'vitest';
import { ScriptedModel } from '../../../../src/agents/models/scriptedModel.js';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import { ManualTime, until } from '../../../support/manualTime.js';
import { hear } from '../../../support/readModel.js';
import { aScript } from '../../../support/scriptedTeam.js';

const model = (...steps: ScriptStep[]) => new ScriptedModel(aScript({ Pickle: steps }));
const asking = (content: string) => ({ messages: [{ role: 'user', content }] as const });

test('each request takes one step, in order, and what is left is reported', async () => {
  const scripted = model({ text: 'one' }, { text: 'two' }, { text: 'three', at: 'demo.yml:9' });
  expect((await hear(scripted)).text).toBe('one');
  expect((await hear(scripted)).text).toBe('two');
  expect(scripted.unused()).toEqual([{ agent: 'Pickle', at: 'demo.yml:9' }]);
});

test('it streams in pieces that never cut a character', async () => {
  const text = '🥒'.repeat(40);
  const scripted = model({
    reasoning: 'hm',
    text,
    toolCalls: [{ name: 't', id: 'x', arguments: { a: text } }],
  });
  const heard = await hear(scripted);
  expect(heard).toMatchObject({ reasoning: 'hm', text, finish: 'tool_calls' });
  expect(heard.calls).toEqual([{ id: 'x', name: 't', arguments: JSON.stringify({ a: text }) }]);
  expect(heard.events).toBeGreaterThan(8);
  for await (const event of model({ text }).stream({
    messages: [],
    tools: [],
    agent: 'Pickle',
    signal: new AbortController().signal,
  })) {
    if (event.type === 'text') expect(event.text).not.toMatch(/\p{Cs}/u);
  }
});

test('a step that expects something else fails in words', async () => {
  const scripted = model({ expect: { role: 'tool', contains: 'noon' }, text: 'x', at: 'demo.yml:4' });
  const { error } = await hear(scripted, asking('what time\nis it?'));
  expect(error).toEqual({
    code: 'script',
    message:
      "The script expects for Pickle at demo.yml:4: a message of role tool that contains 'noon'. The last message is user: what time is it?.",
    retryable: false,
  });
  expect(scripted.unused()).toHaveLength(1);
});

test('a later step may come first only if its own expectation is fulfilled', async () => {
  const scripted = model(
    { expect: { contains: 'left' }, text: 'L' },
    { text: 'any' },
    { expect: { contains: 'right' }, text: 'R' },
  );
  expect((await hear(scripted, asking('go right'))).text).toBe('R');
  expect((await hear(scripted, asking('go up'))).error?.code).toBe('script');
  expect((await hear(scripted, asking('go left'))).text).toBe('L');
  expect((await hear(scripted, asking('go up'))).text).toBe('any');
});

test.each([
  ['an agent without a script', 'Zed', 'has no steps for Zed; it has steps for Pickle.'],
  ['a request too many', 'Pickle', 'has no more steps for Pickle.'],
  ['an agent named like what every object has', 'constructor', 'has no steps for constructor'],
])('%s is an error in words', async (_, agent, words) => {
  const { error } = await hear(model(), { agent });
  expect(error?.message).toContain(words);
});

test('usage, errors and ends are as the script says', async () => {
  const scripted = model(
    { text: 'a', usage: { input: 5, output: 2 }, finish: 'length' },
    { text: 'b', error: { message: 'busy', status: 503, retryable: true, retryAfterMs: 7 } },
  );
  expect(await hear(scripted)).toMatchObject({
    usage: { inputTokens: 5, outputTokens: 2 },
    finish: 'length',
  });
  const error = { code: 'scripted', message: 'busy', status: 503, retryable: true, retryAfterMs: 7 };
  expect(await hear(scripted)).toMatchObject({ text: 'b', error });
});

test('a cancel ends a delay at once', async () => {
  const clock = new ManualTime();
  const controller = new AbortController();
  const scripted = new ScriptedModel(aScript({ Pickle: [{ text: 'late', delayMs: 1_000 }] }), clock);
  const heard = hear(scripted, { signal: controller.signal });
  await until(() => clock.waiting > 0);
  controller.abort();
  expect(await heard).toMatchObject({ text: '', error: { code: 'cancelled' } });
  expect(clock.waiting).toBe(0);
});

import { expect, test } from 'vitest';
import { UNKNOWN_COST } from '../../../../src/core/cost.js';
import { dollars } from '../../../../src/core/money.js';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import type { Prices } from '../../../../src/core/ports/prices.js';
import { RunStop } from '../../../../src/agents/loop/runScope.js';
import { ManualTime, settle, until } from '../../../support/manualTime.js';
import { anAgent, ask, aTeam, aTool, linesOf, use, type TeamOptions } from '../../../support/scriptedTeam.js';

const time = aTool('time', () => 'noon');
const many = (count: number, step: (index: number) => ScriptStep) =>
  Array.from({ length: count }, (_, index) => step(index));

/** Runs a team into a limit; the limit must be what ended it, said once, and the answers all given. */
async function expectLimit(
  code: string,
  words: string,
  options: TeamOptions,
  agents: (string | ReturnType<typeof anAgent>)[] = ['Pickle'],
) {
  const team = aTeam(agents, { tools: [time], ...options });
  const result = await team.session.run('go');
  expect(result).toMatchObject({ outcome: 'limited', error: { code } });
  expect(result.error?.message).toContain(words);
  const lines = linesOf(team.records);
  expect(lines).toContain(`0 Pickle error limit ${code}: ${result.error?.message}`);
  expect(lines.at(-1)).toBe(`0 Pickle callEnd limited: ${result.error?.message}`);
  return team;
}

test('steps', async () => {
  const script = { Pickle: many(9, (n) => use('time', { n })) };
  const team = await expectLimit('steps', 'asked its model 5 times', { limits: { steps: 5 }, script });
  expect(team.model.requests).toHaveLength(5);
});

test('steps, as the agent file says it', async () => {
  const script = { Pickle: many(9, (n) => use('time', { n })) };
  await expectLimit('steps', '2 times', { script }, [anAgent('Pickle', { maxTurns: 2 })]);
});

test.each(['during', 'before'])('a signal that says why, %s the run', async (when) => {
  const controller = new AbortController();
  const stop = () => controller.abort(new RunStop('store', 'Nothing more can be kept.'));
  const stopper = aTool('stop', () => (stop(), 'stopped'));
  const script = { Pickle: [use('stop'), { text: 'never asked' }] };
  const team = aTeam(['Pickle'], { tools: [stopper], script });
  if (when === 'before') stop();
  const result = await team.session.run('go', { signal: controller.signal });
  const error = { code: 'store', message: 'Nothing more can be kept.' };
  expect(result).toMatchObject({ outcome: 'limited', error });
  expect(linesOf(team.records)).toContain('0 Pickle error limit store: Nothing more can be kept.');
});

test('the same call again and again', async () => {
  const script = { Pickle: many(20, () => use('time', { b: 1, a: [2] })) };
  const team = await expectLimit('repetition', 'time was called 5 times in a row', {
    limits: { repetitions: 3 },
    script,
  });
  expect(team.model.requests).toHaveLength(5);
});

test('the same call written differently is the same call', async () => {
  const script = { Pickle: many(20, (n) => use('time', n % 2 ? '{"a":1,"b":2}' : '{ "b": 2, "a": 1 }')) };
  await expectLimit('repetition', 'in a row', { limits: { repetitions: 3 }, script });
});

test('a cycle of calls', async () => {
  const script = { Pickle: many(40, (n) => use('time', { n: n % 3 })) };
  await expectLimit('repetition', 'The same 3 tool calls', { limits: { repetitions: 3 }, script });
});

test('calls that differ are no repetition', async () => {
  const script = { Pickle: [...many(30, (n) => use('time', { n: Math.floor(n / 3) })), { text: 'ok' }] };
  const team = aTeam(['Pickle'], { limits: { repetitions: 3 }, script, tools: [time] });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done' });
});

test('messages of which no call can be run', async () => {
  const script = { Pickle: many(9, (n) => use('nope', { n })) };
  const team = await expectLimit('corrections', '4 messages in a row', {
    limits: { corrections: 3 },
    script,
  });
  expect(team.model.requests).toHaveLength(4);
});

test('tokens of the whole run', async () => {
  const usage = { input: 40, output: 20 };
  const script = {
    Pickle: [
      { ...ask('Cookie', 'x'), usage },
      { ...use('time'), usage },
      { text: 'never', usage },
    ],
    Cookie: [{ text: 'ok', usage }],
  };
  await expectLimit('tokens', 'has used 180 tokens; its limit is 150', { limits: { tokens: 150 }, script }, [
    'Pickle',
    'Cookie',
  ]);
});

test('tokens that a provider does not tell are guessed, those of each turn and each call', async () => {
  const long = aTool('long', ({ n }) => `${String(n)} ${'x'.repeat(400)}`);
  const script = {
    Pickle: [use('long', { n: 1 }), use('long', { n: 2 }), ask('Cookie', 'x'), { text: 'never' }],
    Cookie: many(9, (n) => use('long', { n })),
  };
  const team = await expectLimit(
    'tokens',
    'has used about ',
    { limits: { tokens: 1_000 }, script, tools: [long] },
    ['Pickle', 'Cookie'],
  );
  expect(team.model.requests.length).toBeGreaterThan(4);
  expect(team.model.requests.length).toBeLessThan(9);
  expect(team.config.usage.all()).toEqual({ inputTokens: 0, outputTokens: 0, estimated: false });
});

/** A thousandth of a dollar for each token, at any time; other models than the script's have no price. */
const prices: Prices = {
  version: 'test',
  costOf: ({ model, usage }) =>
    model === 'script/test'
      ? {
          provenance: usage.estimated ? 'estimated' : 'priced',
          amount: dollars((usage.inputTokens + usage.outputTokens) / 1000)!,
        }
      : UNKNOWN_COST,
};

test('the cost of the whole run, of all its calls', async () => {
  const usage = { input: 40, output: 20 };
  const script = {
    Pickle: [
      { ...ask('Cookie', 'x'), usage },
      { ...use('time'), usage },
      { text: 'never', usage },
    ],
    Cookie: [{ text: 'ok', usage }],
  };
  const options = { limits: { cost: dollars(0.15)! }, prices, script };
  await expectLimit('cost', 'has cost $0.18, more than its limit of $0.15', options, ['Pickle', 'Cookie']);
});

test('a run that costs just what it may is done', async () => {
  const script = { Pickle: [{ text: 'ok', usage: { input: 100, output: 50 } }] };
  const team = aTeam(['Pickle'], { limits: { cost: dollars(0.15)! }, prices, script });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done' });
});

test('tokens that are guessed make the cost a guess', async () => {
  const options = {
    limits: { cost: dollars(0.001)! },
    prices,
    script: { Pickle: [use('time'), { text: 'never' }] },
  };
  await expectLimit('cost', 'has cost about $', options);
});

test('a cost that is not known ends a run that is limited', async () => {
  const script = { Pickle: [{ ...use('time'), usage: { input: 1, output: 1 } }, { text: 'never' }] };
  const words = 'The run may cost $5.00, and what script/test costs is not known.';
  await expectLimit('cost', words, { limits: { cost: dollars(5)! }, script });
});

test('calls of the whole run', async () => {
  const script = {
    Pickle: [ask('Cookie', '1'), ask('Cookie', '2'), ask('Cookie', '3')],
    Cookie: many(3, () => ({ text: 'ok' })),
  };
  const team = await expectLimit('calls', 'has started 3 calls', { limits: { calls: 3 }, script }, [
    'Pickle',
    'Cookie',
  ]);
  expect(team.records.filter(({ type }) => type === 'callStart')).toHaveLength(3);
});

test('calls that one call dispatches', async () => {
  const four = {
    toolCalls: [1, 2, 3, 4].map((n) => ({
      name: 'subagent_dispatch',
      arguments: { agent_id: 'Cookie', task: `${n}` },
    })),
  };
  const script = { Pickle: [four, { text: 'never' }], Cookie: many(4, () => ({ text: 'ok' })) };
  const team = await expectLimit('fanOut', 'has dispatched 3 calls', { limits: { fanOut: 3 }, script }, [
    'Pickle',
    'Cookie',
  ]);
  expect(team.frontend.lines.filter((line) => line.startsWith('start'))).toHaveLength(3);
});

test('a run that a limit has ended can be gone on with', async () => {
  const script = { Pickle: [...many(3, (n) => use('time', { n })), { text: 'Now I am done.' }] };
  const team = await expectLimit('steps', '3 times', { limits: { steps: 3 }, script });
  expect(await team.session.run('on')).toMatchObject({ outcome: 'done', text: 'Now I am done.' });
});

test('the time of the run', async () => {
  const clock = new ManualTime();
  const team = aTeam(['Pickle', 'Cookie'], {
    clock,
    timers: clock,
    limits: { runMs: 5_000, toolMs: 60_000 },
    script: { Pickle: [ask('Cookie', 'x')], Cookie: [use('sleep')] },
    tools: [aTool('sleep', () => new Promise<string>(() => undefined))],
  });
  const run = team.session.run('go');
  await until(() =>
    team.events.some(({ type, place: callSite }) => type === 'toolStart' && callSite.depth === 1),
  );
  await clock.advance(4_999);
  expect(team.records.at(-1)?.type).not.toBe('callEnd');
  await clock.advance(1);
  expect(await run).toMatchObject({
    outcome: 'limited',
    error: { code: 'time', message: 'The run took longer than 5 s.' },
  });
  expect(linesOf(team.records)).toContain('1 Cookie callEnd limited: The run took longer than 5 s.');
  expect(clock.waiting).toBe(0);
});

test('the time of a tool, after which the model goes on', async () => {
  const clock = new ManualTime();
  const team = aTeam(['Pickle'], {
    clock,
    timers: clock,
    limits: { toolMs: 3_000 },
    script: {
      Pickle: [use('sleep'), { expect: { role: 'tool', contains: 'longer than 3 s' }, text: 'Too slow.' }],
    },
    tools: [aTool('sleep', () => new Promise<string>(() => undefined))],
  });
  const run = team.session.run('go');
  await until(() => team.events.some(({ type }) => type === 'toolStart'));
  await clock.advance(3_000);
  expect(await run).toMatchObject({ outcome: 'done', text: 'Too slow.' });
});

test('waiting for a person costs neither the tool nor the run any time', async () => {
  const clock = new ManualTime();
  let approve: (() => void) | undefined;
  const careful = aTool('careful', async (_, { approvals, call, toolCallId, signal }) => {
    const asked = { toolName: 'careful', toolCallId, call, subject: 's', title: 't', key: 'k', signal };
    return (await approvals.decide(asked)).approved ? 'done' : 'no';
  });
  const team = aTeam(['Pickle'], {
    clock,
    timers: clock,
    limits: { toolMs: 1_000, runMs: 2_000 },
    script: { Pickle: [use('careful'), { text: 'ok' }] },
    tools: [careful],
    approvals: {
      decide: () =>
        new Promise((resolve) => (approve = () => resolve({ approved: true, decidedBy: 'user' }))),
    },
  });
  const run = team.session.run('go');
  await until(() => approve !== undefined);
  await clock.advance(3_600_000);
  approve?.();
  expect(await run).toMatchObject({ outcome: 'done', text: 'ok' });
});

test('waiting for another agent costs a tool no time, whatever its effect', async () => {
  const clock = new ManualTime();
  const helper = aTool('helper', async (_, { dispatch, call, toolCallId, signal }) => {
    const asked = await dispatch?.({ target: 'Cookie', task: 'x', toolCallId, caller: call, signal });
    return asked?.ok ? asked.result : { content: 'no', isError: true };
  });
  let finish: (() => void) | undefined;
  const slow = aTool('slow', () => new Promise<string>((resolve) => (finish = () => resolve('ok'))), {
    effect: 'dispatch',
  });
  const team = aTeam(['Pickle', 'Cookie'], {
    clock,
    timers: clock,
    limits: { toolMs: 1_000 },
    script: { Pickle: [use('helper'), { text: 'ok' }], Cookie: [use('slow'), { text: 'late' }] },
    tools: [helper, slow],
  });
  const run = team.session.run('go');
  await until(() => finish !== undefined);
  await clock.advance(60_000);
  finish?.();
  expect(await run).toMatchObject({ outcome: 'done', text: 'ok' });
  expect(linesOf(team.records)).toContain('0 Pickle message tool: late');
});

test('an answer without end', async () => {
  const team = aTeam(['Pickle'], {
    limits: { answerLength: 100 },
    script: { Pickle: [{ text: 'x'.repeat(1_000) }] },
  });
  const result = await team.session.run('go');
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'tooLong' } });
  expect(result.text.length).toBeLessThan(200);
});

test('a waiting parent holds no slot, so that a chain deeper than there are slots comes to its end', async () => {
  const script = { A: [ask('B', 'x'), { text: 'a' }], B: [ask('C', 'y'), { text: 'b' }], C: [{ text: 'c' }] };
  const { Scheduler } = await import('../../../../src/agents/loop/limits/scheduler.js');
  const scheduler = new Scheduler({ requestsAtOnce: 1 });
  const team = aTeam(['A', 'B', 'C'], { script, scheduler });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'a' });
  await settle();
  expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
});

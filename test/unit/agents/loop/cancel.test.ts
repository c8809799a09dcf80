import { expect, test } from 'vitest';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import { settle } from '../../../support/manualTime.js';
import { sentHistory } from '../../../support/sentHistory.js';
import { anAgent, ask, aTeam, aTool, linesOf, use } from '../../../support/scriptedTeam.js';
import { brokenInvariants, brokenShows } from '../../../support/teamInvariants.js';
import { violationOfHistory } from '../../../support/wireRules.js';

/** A run that waits for everything there is to wait for: models, retries, tools, people, children and their children. */
const story: Readonly<Record<string, readonly ScriptStep[]>> = {
  Ada: [
    {
      reasoning: 'Let me see.',
      text: 'I look.',
      toolCalls: [
        { name: 'read', arguments: { n: 1 } },
        { name: 'read', arguments: { n: 2 } },
      ],
    },
    { text: 'Hm', error: { message: 'busy', retryable: true, retryAfterMs: 1 } },
    use('write'),
    { toolCalls: [ask('Bo', 'left'), ask('Cy', 'right')].flatMap((step) => step.toolCalls ?? []) },
    { text: 'All done.' },
  ],
  Bo: [use('read'), ask('Cy', 'deeper'), { text: 'Bo is done.' }],
  Cy: [{ text: 'Cy is done.' }, use('write'), { text: 'Cy is done again.' }],
};

const tools = [
  aTool('read', async () => settle().then(() => 'read')),
  aTool(
    'write',
    async (_, { approvals, call, toolCallId, signal }) => {
      const asked = {
        toolName: 'write',
        toolCallId,
        call,
        subject: 's',
        title: 't',
        key: toolCallId,
        signal,
      };
      return (await approvals.decide(asked)).approved ? 'written' : { content: 'denied', isError: true };
    },
    { effect: 'write', parallel: false },
  ),
];

/** Plays the story; `onPoint` is called after each thing that is recorded or shown. */
function play(onPoint: () => void) {
  const team = aTeam(['Ada', 'Bo', anAgent('Cy')], { script: story, tools, onEvent: onPoint });
  team.recorder.onDidRecord(onPoint);
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: team.config.clock,
    onEvent: onPoint,
    ask: async () => settle().then(() => ({ approved: true })),
  });
  const controller = new AbortController();
  const config = { ...team.config, approvals, runApprovalPolicy: 'ask' as const };
  return { team, controller, run: () => team.session.run('go', { signal: controller.signal, config }) };
}

async function pointsOfStory() {
  let points = 0;
  const whole = play(() => points++);
  expect(await whole.run()).toMatchObject({ outcome: 'done', text: 'All done.' });
  return points;
}

test.each([
  ['at once', (abort: () => void) => abort()],
  ['a moment later', (abort: () => void) => void Promise.resolve().then(abort)],
  ['a turn later', (abort: () => void) => void setImmediate(abort)],
])('wherever a run is stopped, %s, it ends soon, recorded and able to go on', async (_, later) => {
  const points = await pointsOfStory();
  expect(points).toBeGreaterThan(80);
  for (let point = 1; point < points; point++) {
    let seen = 0;
    const { team, controller, run } = play(() => {
      if (++seen === point) later(() => controller.abort());
    });
    let turnsAfterAbort = 0;
    const state = { isOver: false };
    const ended = run().finally(() => (state.isOver = true));
    while (!state.isOver) {
      await settle();
      if (controller.signal.aborted) turnsAfterAbort++;
    }
    const result = await ended;
    const { length } = team.records;
    await settle();
    const where = `stopped after point ${point}: ${linesOf(team.records).at(-1)}`;
    expect(turnsAfterAbort, where).toBeLessThan(4);
    expect(['cancelled', 'done'], where).toContain(result.outcome);
    expect(team.records.length, where).toBe(length);
    expect(brokenInvariants(team.records), where).toEqual([]);
    const refused = team.records.filter(
      (one) => one.type === 'dispatch' && one.depth === 0 && one.refused !== undefined,
    );
    expect(brokenShows(team.frontend.lines, refused.length), where).toEqual([]);
    expect(violationOfHistory(sentHistory(team.session.get())), where).toBeUndefined();
    expect(team.config.scheduler.load, where).toEqual({ held: 0, waiting: 0 });
  }
});

test('a run that is stopped before it begins is recorded with its prompt', async () => {
  const team = aTeam(['Ada'], { script: { Ada: [{ text: 'never' }] } });
  const result = await team.session.run('go', { signal: AbortSignal.abort() });
  expect(result.outcome).toBe('cancelled');
  expect(team.model.requests).toEqual([]);
  expect(linesOf(team.records)).toEqual([
    '0 Ada callStart go',
    '0 Ada message system: You are Ada.',
    '0 Ada message user: go',
    '0 Ada callEnd cancelled: The run was stopped.',
  ]);
});

test('what was said when the run was stopped stays, and the next run knows it', async () => {
  const controller = new AbortController();
  const team = aTeam(['Ada'], {
    script: { Ada: [{ text: 'Once upon a time there was a cucumber.' }, { text: 'Where was I?' }] },
    onEvent: ({ type }) => type === 'textDelta' && controller.abort(),
  });
  const result = await team.session.run('tell', { signal: controller.signal });
  expect(result.text).toBe('Once upon a time there w');
  expect(linesOf(team.records)).toContain('0 Ada message assistant [cancelled]: Once upon a time there w');
  await team.session.run('go on');
  expect(team.model.requests[1]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: 'Once upon a time there w' },
    { role: 'user', content: 'go on' },
  ]);
});

test('a tool that hears nothing does not hold up the end, and what it does later hurts nothing', async () => {
  const controller = new AbortController();
  let finish: ((error: Error) => void) | undefined;
  const deaf = aTool('deaf', () => new Promise<string>((_, reject) => (finish = reject)));
  const team = aTeam(['Ada'], { script: { Ada: [use('deaf')] }, tools: [deaf] });
  const run = team.session.run('go', { signal: controller.signal });
  while (!finish) await settle();
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
  expect(linesOf(team.records)).toContain(
    '0 Ada message tool [cancelled] [error]: deaf was cancelled while it ran.',
  );
  finish(new Error('too late'));
  await settle();
});

test('a model that hears nothing does not hold up the end', async () => {
  const controller = new AbortController();
  const deaf = { id: 'x', label: 'x', kind: 'http', endpoint: 'x' } as const;
  const team = aTeam(['Ada'], {
    model: {
      ...deaf,
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
    },
  });
  const run = team.session.run('go', { signal: controller.signal });
  await settle();
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
});

test('looking for a model can be stopped too', async () => {
  const controller = new AbortController();
  const team = aTeam([anAgent('Ada', { models: ['slow'] })], {
    resolveModel: () => new Promise(() => undefined),
  });
  const run = team.session.run('go', { signal: controller.signal });
  await settle();
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
});

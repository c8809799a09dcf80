import { expect, test } from 'vitest';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import type { DispatchRequest, ToolContext } from '../../../../src/core/ports/tool.js';
import { Scheduler } from '../../../../src/agents/loop/limits/scheduler.js';
import { settle, until } from '../../../support/manualTime.js';
import { anAgent, ask, aTeam, aTool, linesOf, use } from '../../../support/scriptedTeam.js';
import { brokenInvariants } from '../../../support/teamInvariants.js';

const request = ({ toolCallId, call, signal }: ToolContext): DispatchRequest => {
  return { target: 'Bo', task: 'help', toolCallId, caller: call, signal };
};
const question = ({ toolCallId, call, signal }: ToolContext) => {
  return { toolName: 't', toolCallId, call, subject: 's', title: 't', key: 'k', signal };
};
const forever = () => new Promise<never>(() => undefined);
const ownSignal = () => ({ signal: AbortSignal.timeout(3_600_000) });

/** A tool that answers without waiting for what it has begun, or one whose wishes have a signal of their own. */
test.each<[string, (context: ToolContext) => unknown]>([
  ['an agent that it does not wait for', (context) => void context.dispatch?.(request(context))],
  ['a question that it does not wait for', (context) => void context.approvals.decide(question(context))],
  [
    'an agent with a signal of its own',
    (context) => context.dispatch?.({ ...request(context), ...ownSignal() }),
  ],
  [
    'a question with a signal of its own',
    (context) => context.approvals.decide({ ...question(context), ...ownSignal() }),
  ],
])('a run with a tool that leaves behind %s can be stopped', async (_, begin) => {
  const controller = new AbortController();
  let waiting = 0;
  const sleep = aTool('sleep', () => (waiting++, forever()));
  const odd = aTool('odd', async (_args, context) => {
    await begin(context);
    return 'answered';
  });
  const team = aTeam(['Ada', 'Bo'], {
    script: { Ada: [use('odd'), use('sleep')], Bo: [use('sleep')] },
    tools: [odd, sleep],
  });
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: team.config.clock,
    ask: () => (waiting++, forever()),
  });
  const config = { ...team.config, approvals, runApprovalPolicy: 'ask' as const };
  const run = team.session.run('go', { signal: controller.signal, config });
  await until(() => waiting > 0);
  for (let turn = 0; turn < 5; turn++) await settle();
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
  const { length } = team.records;
  for (let turn = 0; turn < 5; turn++) await settle();
  expect(team.records.length).toBe(length);
  expect(brokenInvariants(team.records)).toEqual([]);
});

test('what a tool leaves behind is waited for where nobody stops the run', async () => {
  const early = aTool('early', (_, context) => (void context.dispatch?.(request(context)), 'answered'));
  const slow = aTool('slow', async () => settle().then(() => 'ok'));
  const team = aTeam(['Ada', 'Bo'], {
    script: {
      Ada: [use('early'), { text: 'Over.' }],
      Bo: [use('slow'), use('slow', { n: 2 }), { text: 'b' }],
    },
    tools: [early, slow],
  });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'Over.' });
  expect(linesOf(team.records).slice(-2)).toEqual(['1 Bo callEnd done', '0 Ada callEnd done']);
});

test('a run that is stopped in the moment in which its slot comes asks nobody', async () => {
  const controller = new AbortController();
  const scheduler = new Scheduler({ requestsAtOnce: 1 });
  const team = aTeam(['Ada'], { scheduler, script: { Ada: [{ text: 'never' }] } });
  const release = await scheduler.acquire(new AbortController().signal);
  const run = team.session.run('go', { signal: controller.signal });
  await until(() => scheduler.load.waiting === 1);
  release?.();
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
  expect(team.model.requests).toEqual([]);
  expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
});

test('what is rejected with need be no error, and what a tool answers may be unreadable', async () => {
  const nothing = Object.create(null) as Error;
  const reject = () => Promise.reject(nothing);
  const unreadable = {
    get content(): string {
      throw new Error('looked at');
    },
  };
  const odd = { ...aTool('odd', reject), execute: async () => Promise.resolve(unreadable) };
  const careful = aTool('careful', async (_, context) => {
    return (await context.approvals.decide(question(context))).approved ? 'yes' : 'no';
  });
  const team = aTeam(['Ada', anAgent('Bo', { models: ['gone'] })], {
    script: { Ada: [use('bad'), use('odd'), use('careful'), ask('Bo', 'x'), { text: 'ok' }] },
    tools: [aTool('bad', reject), odd, careful],
    resolveModel: reject,
  });
  const { recorder: messageLog, config } = team;
  const approvals = new ApprovalDecider({ messageLog, clock: config.clock, ask: reject });
  const result = await team.session.run('go', { config: { ...config, approvals, runApprovalPolicy: 'ask' } });
  expect(result).toMatchObject({ outcome: 'done', text: 'ok' });
  const answers = linesOf(team.records).filter((line) => line.includes('message tool'));
  expect(answers.map((line) => line.replace('0 Ada message tool', ''))).toEqual([
    ' [error]: bad failed: an error that says nothing of itself',
    ' [error]: odd answered nothing that can be read.',
    ': no',
    ' [error]: Bo cannot be called: an error that says nothing of itself',
  ]);
});

test('a message that the provider withheld a part of runs no tool', async () => {
  let ran = 0;
  const team = aTeam(['Ada'], {
    script: { Ada: [{ text: 'I', ...use('count'), finish: 'content_filter' }, { text: 'Again.' }] },
    tools: [aTool('count', () => String(++ran))],
  });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'failed', error: { code: 'contentFilter' } });
  expect(ran).toBe(0);
  expect(linesOf(team.records)).toContain(
    '0 Ada message tool [error]: Not run: the provider withheld a part of the message.',
  );
  expect(await team.session.run('on')).toMatchObject({ outcome: 'done', text: 'Again.' });
});

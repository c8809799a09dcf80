import { expect, test } from 'vitest';
import type { LogRecord } from '../../../../src/core/record.js';
import type {
  AllowedBy,
  ApprovalPrompt,
  ApprovalRequest,
  AskApproval,
  RunApprovalPolicy,
  RunApprover,
} from '../../../../src/core/ports/approvals.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import type { RuntimeEvent } from '../../../../src/agents/loop/runtimeEvent.js';
import { ManualTime, until } from '../../../support/manualTime.js';
import { RecordingFrontend } from '../../../support/recordingFrontend.js';
import { RecordingLog } from '../../../support/recordingLog.js';
import { aTeam, aTool, linesOf, use } from '../../../support/scriptedTeam.js';

const call = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 };

function decider(policy: RunApprovalPolicy, ask?: AskApproval, allowedBy?: AllowedBy) {
  const clock = new ManualTime();
  const records: LogRecord[] = [];
  const events: RuntimeEvent[] = [];
  const recorder = new Recorder({
    conversation: 'c',
    clock,
    onListenerFailure: (error) => events.push(error as never),
  });
  recorder.onDidRecord((record) => records.push(record));
  const onEvent = (event: RuntimeEvent) => void events.push(event);
  return {
    desk: new ApprovalDecider({
      policy,
      ask,
      messageLog: recorder,
      clock,
      onEvent,
      ...(allowedBy && { allowedBy }),
    }),
    records,
    events,
    clock,
  };
}

function wish(rest: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const signal = new AbortController().signal;
  return {
    toolName: 'run_command',
    toolCallId: 't',
    call,
    subject: 'rm -r x',
    title: 'Run rm',
    key: 'k',
    signal,
    ...rest,
  };
}

const yes: AskApproval = async () => ({ approved: true });

test.each<[RunApprovalPolicy, Partial<ApprovalRequest>, object]>([
  ['approveAll', {}, { approved: true, decidedBy: 'policy', rule: 'approveAll' }],
  [
    'approveAll',
    { askReason: 'decides rights' },
    { approved: true, decidedBy: 'user', rule: 'decides rights' },
  ],
  ['rejectAll', {}, { approved: false, decidedBy: 'policy', rule: 'rejectAll' }],
  ['rejectAll', { askReason: 'decides rights' }, { approved: false, decidedBy: 'policy', rule: 'rejectAll' }],
  ['rejectAll', { allowReason: 'ls' }, { approved: false, decidedBy: 'policy', rule: 'rejectAll' }],
  ['ask', {}, { approved: true, decidedBy: 'user' }],
  ['ask', { allowReason: 'ls' }, { approved: true, decidedBy: 'policy', rule: 'ls' }],
  [
    'ask',
    { askReason: 'decides rights', allowReason: 'ls' },
    { approved: true, decidedBy: 'user', rule: 'decides rights' },
  ],
  ['ask', { signal: AbortSignal.abort() }, { approved: false, decidedBy: 'cancel' }],
  ['approveAll', { signal: AbortSignal.abort() }, { approved: false, decidedBy: 'cancel' }],
])('with %s, %j is decided as %j', async (policy, rest, decision) => {
  expect(await decider(policy, yes).desk.decide(wish(rest))).toEqual(decision);
});

const npmTest: Partial<ApprovalRequest> = { action: { kind: 'command', line: 'npm test' } };

test.each<[RunApprovalPolicy, Partial<ApprovalRequest>, object]>([
  ['ask', npmTest, { approved: true, decidedBy: 'rule', rule: 'npm test' }],
  ['ask', {}, { approved: false, decidedBy: 'user' }],
  ['ask', { ...npmTest, askReason: 'decides rights' }, { approved: false, decidedBy: 'user' }],
  ['approveAll', { ...npmTest, askReason: 'decides rights' }, { approved: false, decidedBy: 'user' }],
  ['approveAll', npmTest, { approved: true, decidedBy: 'policy', rule: 'approveAll' }],
  ['rejectAll', npmTest, { approved: false, decidedBy: 'policy' }],
  ['ask', { ...npmTest, signal: AbortSignal.abort() }, { approved: false, decidedBy: 'cancel' }],
])('with allow rules and %s, %j is decided as %j', async (policy, rest, decision) => {
  const no: AskApproval = () => Promise.resolve({ approved: false });
  const allowedBy: AllowedBy = (tool, action) =>
    tool === 'run_command' && action.kind === 'command' ? action.line : undefined;
  expect(await decider(policy, no, allowedBy).desk.decide(wish(rest))).toMatchObject(decision);
});

test('rules that cannot be read allow nothing', async () => {
  const broken: AllowedBy = () => {
    throw new Error('no rules');
  };
  expect(await decider('ask', yes, broken).desk.decide(wish(npmTest))).toMatchObject({ decidedBy: 'user' });
});

test('every decision is a record: who, what exactly, and how long it took', async () => {
  let answer: ((given: { approved: boolean; reason: string }) => void) | undefined;
  const { desk: it, records, clock } = decider('ask', () => new Promise((resolve) => (answer = resolve)));
  const decided = it.decide(wish());
  await until(() => answer !== undefined);
  await clock.advance(1_500);
  answer?.({ approved: false, reason: 'Not that one.' });
  expect(await decided).toEqual({ approved: false, decidedBy: 'user', reason: 'Not that one.' });
  expect(records).toMatchObject([
    {
      type: 'approval',
      run: 'r',
      call: 'k',
      toolName: 'run_command',
      toolCallId: 't',
      subject: 'rm -r x',
      decision: 'denied',
      decidedBy: 'user',
      reason: 'Not that one.',
      waitedMs: 1_500,
    },
  ]);
});

test('an approval is remembered for its key alone, until it is forgotten', async () => {
  let asked = 0;
  const { desk: it } = decider('ask', async () => ({ approved: true, remember: ++asked > 0 }));
  await it.decide(wish());
  expect(await it.decide(wish())).toEqual({ approved: true, decidedBy: 'remembered' });
  await it.decide(wish({ key: 'other' }));
  expect(asked).toBe(2);
  it.forget();
  await it.decide(wish());
  expect(asked).toBe(3);
});

test('a denial is not remembered', async () => {
  let asked = 0;
  const { desk: it } = decider('ask', async () => ({ approved: ++asked > 1, remember: true }));
  expect((await it.decide(wish())).approved).toBe(false);
  expect((await it.decide(wish())).approved).toBe(true);
});

test('what must be asked is asked each time anew', async () => {
  let asked = 0;
  const { desk: it } = decider('ask', async () => ({ approved: true, remember: ++asked > 0 }));
  await it.decide(wish());
  await it.decide(wish({ askReason: 'decides rights' }));
  await it.decide(wish({ askReason: 'decides rights' }));
  expect(asked).toBe(3);
});

test('several that wait are numbered', async () => {
  const prompts: ApprovalPrompt[] = [];
  const answers: (() => void)[] = [];
  const { desk: it, events } = decider('ask', (prompt) => {
    prompts.push(prompt);
    return new Promise((resolve) => answers.push(() => resolve({ approved: true })));
  });
  const all = ['a', 'b', 'c'].map((key) => it.decide(wish({ key })));
  await until(() => prompts.length === 3);
  expect(prompts.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(it.waiting).toBe(3);
  for (const answer of answers) answer();
  await Promise.all(all);
  expect(it.waiting).toBe(0);
  expect(new Set(prompts.map(({ id }) => id)).size).toBe(3);
  expect(events.map(({ type }) => type).sort()).toEqual([
    ...Array<string>(3).fill('approvalDone'),
    ...Array<string>(3).fill('approvalWaiting'),
  ]);
});

test('who comes while others wait has a number that none of them has', async () => {
  const numbers: number[] = [];
  const answers: (() => void)[] = [];
  const { desk: it } = decider('ask', ({ number }) => {
    numbers.push(number);
    return new Promise((resolve) => answers.push(() => resolve({ approved: true })));
  });
  const ask = async (key: string) => {
    const decided = it.decide(wish({ key }));
    await until(() => answers.length === numbers.length && numbers.length > 0);
    return decided;
  };
  const first = ask('a');
  const others = [ask('b')];
  await until(() => numbers.length === 2);
  answers[0]?.();
  await first;
  others.push(ask('c'));
  await until(() => numbers.length === 3);
  expect(numbers).toEqual([1, 2, 3]);
  for (const answer of answers) answer();
  await Promise.all(others);
  const last = ask('d');
  await until(() => numbers.length === 4);
  expect(numbers[3]).toBe(1);
  answers[3]?.();
  await last;
});

test('two that ask for the same at the same time are answered at once when the first is remembered', async () => {
  const answers: (() => void)[] = [];
  const { desk: it } = decider(
    'ask',
    () => new Promise((resolve) => answers.push(() => resolve({ approved: true, remember: true }))),
  );
  const first = it.decide(wish());
  const second = it.decide(wish());
  await until(() => answers.length > 0);
  answers[0]?.();
  expect((await first).decidedBy).toBe('user');
  expect((await second).decidedBy).toBe('remembered');
  expect(answers).toHaveLength(1);
});

test('a cancel while a person thinks is a denial by cancel', async () => {
  const controller = new AbortController();
  const { desk: it, records } = decider('ask', () => new Promise(() => undefined));
  const decided = it.decide(wish({ signal: controller.signal }));
  controller.abort();
  expect(await decided).toEqual({ approved: false, decidedBy: 'cancel' });
  expect(records).toMatchObject([{ decision: 'denied', decidedBy: 'cancel' }]);
});

test.each<[string, AskApproval | undefined, string]>([
  ['nobody can be asked', undefined, 'Nobody can be asked.'],
  [
    'asking throws',
    () => {
      throw new Error('no window');
    },
    'Asking failed: no window',
  ],
  ['asking rejects', async () => Promise.reject(new Error('no window')), 'Asking failed: no window'],
])('where %s, it is denied', async (_, ask, reason) => {
  expect(await decider('ask', ask).desk.decide(wish())).toEqual({
    approved: false,
    decidedBy: 'policy',
    rule: 'nobodyToAsk',
    reason,
  });
});

test('what was allowed for the session holds for the next run of the conversation, and for no other', async () => {
  const remembered = new Set<string>();
  const run = (session: Set<string>, ask?: AskApproval) => {
    const { records, clock } = decider('ask');
    const messageLog = { record: () => records[0]! };
    return new ApprovalDecider({ policy: 'ask', ask, messageLog, clock, remembered: session }).decide(wish());
  };
  await run(remembered, async () => Promise.resolve({ approved: true, remember: true }));
  expect(await run(remembered)).toEqual({ approved: true, decidedBy: 'remembered' });
  expect(await run(new Set())).toMatchObject({ approved: false, rule: 'nobodyToAsk' });
});

test('a frontend is told who waits for what, and may fail', async () => {
  const frontend = new RecordingFrontend(() => Promise.reject(new Error('gone')));
  const { records, clock } = decider('ask');
  const log = new RecordingLog();
  const messageLog = { record: () => records[0]! };
  const shown = { frontend, conversation: 'c' };
  const it = new ApprovalDecider({ policy: 'ask', ask: yes, messageLog, clock, shown, log });
  expect((await it.decide(wish())).approved).toBe(true);
  expect(frontend.lines).toEqual(['approval Pickle Run rm']);
  await until(() => log.lines.length > 0);
  expect(log.lines).toEqual(['warn: Showing an approval failed: gone']);
});

test('a run follows the policy of its configuration, whatever the desk or a tool would follow', async () => {
  const careful = aTool('careful', async (_, { approvals, signal }) => {
    const asked: RunApprover = approvals;
    return (await asked.decide(wish({ signal }), 'approveAll')).approved ? 'done' : 'denied';
  });
  const steps = Array.from({ length: 3 }, () => [use('careful'), { text: 'ok' }]).flat();
  const team = aTeam(['Pickle'], { script: { Pickle: steps }, tools: [careful] });
  for (const runApprovalPolicy of ['approveAll', 'rejectAll', 'ask'] as const) {
    await team.session.run('go', { config: { ...team.config, runApprovalPolicy } });
  }
  const decided = linesOf(team.records).filter((line) => line.includes('message tool'));
  expect(decided.map((line) => line.split(': ')[1])).toEqual(['done', 'denied', 'denied']);
  const approvals = team.records.flatMap((record) => (record.type === 'approval' ? [record.rule] : []));
  expect(approvals).toEqual(['approveAll', 'rejectAll', 'nobodyToAsk']);
});

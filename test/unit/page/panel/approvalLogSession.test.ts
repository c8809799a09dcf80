import { expect, test } from 'vitest';
import {
  ApprovalLogSession,
  type ChosenApprovalLog,
  type ApprovalLogProgress,
  type ListedDecision,
  type ListedApprovalLog,
} from '../../../../src/page/panel/approvalLog/approvalLogSession.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import type { ApprovalLogContract } from '../../../../src/page/protocol/approvalLogPage.js';
import type { FromHost } from '../../../../src/page/protocol/protocol.js';
import { RequestClient } from '../../../../src/page/protocol/requestClient.js';

const EVERYTHING = { filter: {}, text: '', start: 0, count: 200 };

function decision(position: number, some: Partial<ListedDecision> = {}): ListedDecision {
  return {
    position,
    time: 1_000 + position,
    agent: 'Baker',
    call: 'k',
    tool: 'run_command',
    toolCallId: `t${position}`,
    isApproved: true,
    decidedBy: 'user',
    rule: '',
    waitedMs: 10,
    askedAt: position,
    answeredAt: undefined,
    outcome: 'done',
    tookMs: undefined,
    subject: `bake ${position}`,
    reason: '',
    ...some,
  };
}

function approvalLog(
  conversation: string,
  decisions: readonly ListedDecision[],
  root = '/shop',
): ListedApprovalLog {
  const place = { kind: 'stored', root, conversation } as const;
  return { place, title: `On ${conversation}`, source: '', folder: 'shop', decisions };
}

/** A session and a page without a browser. */
function joined(read: (signal: AbortSignal) => AsyncIterable<ApprovalLogProgress>) {
  const heard: { name: string; data: unknown }[] = [];
  const problems: string[] = [];
  const exported: ChosenApprovalLog[] = [];
  const session = new ApprovalLogSession({
    read,
    open: () => undefined,
    exportAs: (_, chosen) => Promise.resolve(void exported.push(...chosen)),
    log: { ...silentLog, warn: (words) => problems.push(words), error: (words) => problems.push(words) },
    post: (message: FromHost<ApprovalLogContract>) => {
      page.receive(structuredClone(message));
      return Promise.resolve();
    },
  });
  const page: RequestClient<ApprovalLogContract> = new RequestClient<ApprovalLogContract>({
    post: (message) => void session.receive(structuredClone(message)),
    onEvent: (event) => heard.push(event),
    onUnexpected: (why) => problems.push(why),
  });
  return { session, page, heard, problems, exported };
}

async function* given(...approvalLogs: readonly ListedApprovalLog[]): AsyncGenerator<ApprovalLogProgress> {
  await Promise.resolve();
  for (const [at, each] of approvalLogs.entries())
    yield { looked: at + 1, of: approvalLogs.length, unread: 0, approvalLogs: [each] };
}

const whole = async ({ page }: ReturnType<typeof joined>) => {
  await expect.poll(async () => (await page.ask('page', EVERYTHING)).reading.isDone).toBe(true);
  return page.ask('page', EVERYTHING);
};

test('lists the decisions of all transcripts, the newest first, and what can be chosen adds up to all', async () => {
  const parts = joined(() =>
    given(
      approvalLog('c1', [decision(1), decision(5, { isApproved: false, tool: 'write_file' })]),
      approvalLog('c2', [decision(3, { agent: 'Miller' })], '/mill'),
    ),
  );
  const all = await whole(parts);
  expect(all.rows.map(({ position }) => position)).toEqual([5, 3, 1]);
  expect(all).toMatchObject({ approved: 2, denied: 1, waitedMs: 30, matching: 3 });
  expect(all.names).toEqual({ c1: 'On c1', c2: 'On c2', '/shop': 'shop', '/mill': 'shop' });
  for (const values of Object.values(all.facets))
    expect(values.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  const some = await parts.page.ask('page', { ...EVERYTHING, filter: { folder: '/mill' }, text: 'BAKE' });
  expect(some.rows.map(({ place: location }) => location.conversation)).toEqual(['c2']);
});

test('exports what is shown, by the positions of its records', async () => {
  const parts = joined(() =>
    given(approvalLog('c1', [decision(1), decision(2), decision(12)]), approvalLog('c2', [decision(7)])),
  );
  await whole(parts);
  await parts.page.ask('export', { format: 'csv', filter: { transcript: 'c1' }, text: 'bake 1' });
  expect(
    parts.exported.map(({ place: location, positions }) => [location.conversation, [...positions].sort()]),
  ).toEqual([['c1', [1, 12]]]);
});

test('reading again ends the reading before, of which nothing is left', async () => {
  const signals: AbortSignal[] = [];
  const parts = joined(async function* (signal) {
    signals.push(signal);
    yield* given(approvalLog('c1', [decision(1)]));
    if (signals.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  await expect.poll(async () => (await parts.page.ask('page', EVERYTHING)).matching).toBe(1);
  await parts.page.ask('reload', {});
  expect((await whole(parts)).matching).toBe(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  parts.session.dispose();
  expect(signals[1]?.aborted).toBe(true);
});

test('says why the reading failed, and shows what it had found', async () => {
  const parts = joined(async function* () {
    yield* given(approvalLog('c1', [decision(1)]));
    throw new Error('The store is away.');
  });
  expect((await whole(parts)).matching).toBe(1);
  expect(parts.heard.at(-1)).toMatchObject({ name: 'failed', data: { message: 'The store is away.' } });
  expect(parts.problems).toEqual(['The approvals cannot be read.']);
});

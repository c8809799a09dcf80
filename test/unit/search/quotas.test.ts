import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchGroup } from '../../../src/page/protocol/search.js';
import { Quotas } from '../../../src/query/numbers/quotas.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { checkArguments } from '../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../src/surfaces/mcp/readTools.js';
import { buildWorker } from '../../support/buildWorker.js';
import { agentLogbook, folderWith } from '../../support/commandLine.js';
import { temporaryStore } from '../../support/storeFixture.js';

const ID = '019e0000-0000-7000-8000-00000000000';
const window = (used: number, minutes: number, ends: number) => ({
  used_percent: used,
  window_minutes: minutes,
  resets_at: ends,
});

/** A rollout whose requests each tell how much of the limits was used. */
function rollout(
  number: number,
  day: string,
  ...limits: readonly (readonly [hour: number, object])[]
): string {
  const line = (hour: number, type: string, payload: object) =>
    JSON.stringify({ timestamp: `${day}T${String(hour).padStart(2, '0')}:00:00Z`, type, payload });
  const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Bake ${number}.` }] };
  return [
    line(0, 'session_meta', { id: `${ID}${number}`, cwd: '/srv/bakery' }),
    line(0, 'response_item', said),
    ...limits.map(([hour, rate_limits], at) => {
      const total_token_usage = { input_tokens: 100 * (at + 1), output_tokens: at };
      return line(hour, 'event_msg', { type: 'token_count', info: { total_token_usage }, rate_limits });
    }),
  ].join('\n');
}

const seconds = (text: string) => Date.parse(text) / 1_000;
const files = {
  'rollout-1.jsonl': rollout(
    1,
    '2026-11-20',
    [
      1,
      {
        limit_id: 'codex',
        primary: window(10, 300, seconds('2026-11-20T05:00:00Z')),
        secondary: window(40, 10_080, seconds('2026-11-24T00:00:00Z')),
      },
    ],
    [3, { limit_id: 'codex', primary: window(35, 300, seconds('2026-11-20T05:00:00Z')), secondary: null }],
  ),
  'rollout-2.jsonl': rollout(2, '2026-11-21', [
    2,
    {
      primary: window(7.5, 300, seconds('2026-11-21T05:00:00Z')),
      secondary: { used_percent: 'all', window_minutes: -1 },
    },
  ]),
};

/** The newest of each: that of five hours in the second file, that of a week in the first one. */
const newest = [
  {
    limit: 'codex',
    minutes: 300,
    usedPercent: 7.5,
    at: Date.parse('2026-11-21T02:00:00Z'),
    resetsAt: Date.parse('2026-11-21T05:00:00Z'),
  },
  {
    limit: 'codex',
    minutes: 10_080,
    usedPercent: 40,
    at: Date.parse('2026-11-20T01:00:00Z'),
    resetsAt: Date.parse('2026-11-24T00:00:00Z'),
  },
];

test('the newest reading of each limit is told by cost, over MCP and to the page of spending, in whatever order files come', async () => {
  const cwd = await folderWith(files);
  const names = Object.keys(files);
  for (const order of [names, names.toReversed()]) {
    const { json } = await agentLogbook(['cost', '--json', ...order], { cwd });
    expect(json.at(-1)).toMatchObject({ kind: 'total', limits: newest });
  }
  const { out } = await agentLogbook(['cost', ...names], { cwd });
  expect(out).toContain('Limit codex, 5 h: 7.5 % used as of');
  expect(out).toContain('Limit codex, 7 d: 40 % used as of');

  const library = new McpLibrary(
    {
      cwd,
      signal: new AbortController().signal,
      stdin: () => {
        throw new Error('Nothing is read.');
      },
      log: silentLog,
    },
    names,
    () => Date.parse('2027-01-01'),
  );
  onTestFinished(() => library.close());
  const tool = readTools.find(({ name }) => name === 'get_cost');
  expect(await tool?.run(library, checkArguments(tool, {}))).toHaveProperty('limits', [
    {
      limit: 'codex',
      minutes: 300,
      used_percent: 7.5,
      at: '2026-11-21T02:00:00.000Z',
      resetsAt: '2026-11-21T05:00:00.000Z',
    },
    {
      limit: 'codex',
      minutes: 10_080,
      used_percent: 40,
      at: '2026-11-20T01:00:00.000Z',
      resetsAt: '2026-11-24T00:00:00.000Z',
    },
  ]);

  expect(await inSearch(cwd, names)).toEqual(newest);
});

async function inSearch(cwd: string, names: readonly string[]) {
  const { root } = await temporaryStore();
  const search = new SessionSearch({
    script: await buildWorker('search/search.worker.ts'),
    log: silentLog,
    files: () =>
      Promise.resolve(names.map((name) => ({ path: join(cwd, name), changed: 1_790_000_000_000 }))),
    stores: () => Promise.resolve([{ root, readOnly: false }]),
  });
  onTestFinished(() => search.dispose());
  const question = {
    text: '',
    rows: 'records',
    now: 1_790_000_100_000,
    timeZone: 'UTC',
    order: 'newest',
    limits: { sessions: 100, hitsOfSession: 0 },
  } as const;
  const groups: SearchGroup[] = [];
  for await (const update of search.ask(question, new AbortController().signal))
    groups.push(...update.groups);
  const quotas = new Quotas();
  for (const group of groups) for (const each of group.quotas ?? []) quotas.take(each);
  return quotas.list;
}

test('Claude Code tells of its windows by their names, Copilot CLI of what it has a limit of', async () => {
  const session = '11111111-2222-4333-8444-555555555555';
  const info = { status: 'allowed', rateLimitType: 'five_hour', resetsAt: seconds('2026-11-20T05:00:00Z') };
  const unifiedWindows = {
    five_hour: { utilization: 0.13, resetsAt: seconds('2026-11-20T05:00:00Z') },
    seven_day: { utilization: 0.29, resetsAt: seconds('2026-11-24T00:00:00Z') },
    seven_day_opus: { utilization: 1, resetsAt: seconds('2026-11-24T00:00:00Z') },
    overage: { utilization: 0.5 },
  };
  const usage = { input_tokens: 10, output_tokens: 20 };
  const content = [{ type: 'text', text: 'Baked.' }];
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-sonnet-4-5', content, usage };
  const stream = (told: object) => [
    { type: 'system', subtype: 'init', session_id: session, cwd: '/srv/bakery', model: 'claude-sonnet-4-5' },
    { type: 'rate_limit_event', rate_limit_info: told, uuid: 'u1', session_id: session },
    { type: 'assistant', message, session_id: session, uuid: 'u2' },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Baked.',
      session_id: session,
      uuid: 'u3',
    },
  ];
  const lines = (all: readonly object[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('');
  const event = (number: number, type: string, data: object) => ({
    type,
    data,
    id: `e${number}`,
    timestamp: `2026-11-21T02:00:0${number}Z`,
    parentId: number === 0 ? null : `e${number - 1}`,
  });
  const quotaSnapshots = {
    chat: { isUnlimitedEntitlement: true, entitlementRequests: 0, usedRequests: 0 },
    premium_interactions: {
      isUnlimitedEntitlement: false,
      entitlementRequests: 300,
      usedRequests: 158,
      remainingPercentage: 47.3,
      resetDate: '2026-12-01T00:00:00Z',
    },
  };
  const copilot = [
    event(0, 'session.start', { sessionId: session, version: 1, producer: 'copilot-agent' }),
    event(1, 'user.message', { content: 'Bake.' }),
    event(2, 'assistant.message', { messageId: 'm1', content: 'Baked.', toolRequests: [] }),
    event(3, 'model.model_call_success', { model: 'gpt-5', quotaSnapshots }),
  ];
  const cwd = await folderWith({
    'stream.jsonl': lines(stream({ ...info, unifiedWindows })),
    'older.jsonl': lines(stream({ ...info, utilization: 0.07 })),
    'events.jsonl': lines(copilot),
  });
  const limitsOf = async (name: string) =>
    (await agentLogbook(['cost', '--json', name], { cwd })).json.at(-1)?.limits;
  const week = { minutes: 10_080, at: 0, resetsAt: Date.parse('2026-11-24T00:00:00Z') };
  const hours = { limit: 'claude', minutes: 300, at: 0, resetsAt: Date.parse('2026-11-20T05:00:00Z') };
  expect(await limitsOf('stream.jsonl')).toEqual([
    { ...hours, usedPercent: 13 },
    { limit: 'claude', usedPercent: 29, ...week },
    { limit: 'claude opus', usedPercent: 100, ...week },
  ]);
  expect(await limitsOf('older.jsonl')).toEqual([{ ...hours, usedPercent: 7 }]);
  const [at, resetsAt] = [Date.parse('2026-11-21T02:00:03Z'), Date.parse('2026-12-01T00:00:00Z')];
  expect(await limitsOf('events.jsonl')).toEqual([
    { limit: 'copilot premium interactions', minutes: 0, usedPercent: 52.67, at, resetsAt },
  ]);
  const { out } = await agentLogbook(['cost', 'stream.jsonl', 'events.jsonl'], { cwd });
  expect(out).toContain('Limit claude, 5 h: 13 % used');
  expect(out).toContain('Limit copilot premium interactions: 52.67 % used');
});

test('what a hostile file tells of limits is no reading, and there are few of them', () => {
  const quotas = new Quotas();
  const told = (rate_limits: unknown) =>
    quotas.add({
      type: 'imported',
      kind: 'event_msg/token_count',
      time: 1,
      value: { payload: { rate_limits } },
    });
  told({ primary: window(Number.NaN, 300, 1) });
  told({ primary: window(-1, 300, 1), secondary: window(1, 0.5, 1) });
  told('full');
  const elsewhere = (kind: string, value: object) => quotas.add({ type: 'imported', kind, value });
  const windows = { five_hour: 'full', seven_day: { utilization: -1 }, seven_days: { utilization: 1 } };
  elsewhere('rate_limit_event', { rate_limit_info: { unifiedWindows: windows } });
  elsewhere('rate_limit_event', { rate_limit_info: [] });
  const none = { entitlementRequests: 0, usedRequests: 1 };
  elsewhere('assistant.usage', { data: { quotaSnapshots: { none, all: 'full' } } });
  expect(quotas.list).toEqual([]);
  for (let at = 1; at < 1_000; at++) told({ limit_id: `${at}`, primary: window(1, at, 1e300) });
  expect(quotas.list).toHaveLength(20);
  expect(quotas.list[0]).toMatchObject({ resetsAt: 0 });
});

import { rmSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { planQuery } from '../../../src/query/language/plan.js';
import type { RowKind } from '../../../src/query/language/syntax.js';
import { Asking } from '../../../src/search/asking.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { PRICES } from '../query/language/judge.js';

/** How often what waits for the disk was called. */
const calls = vi.hoisted(() => ({ lstatSync: 0, readdirSync: 0, openSync: 0, readSync: 0 }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<Record<string, (...args: unknown[]) => unknown>>();
  const counting = (name: keyof typeof calls) => [
    name,
    (...args: unknown[]) => {
      calls[name]++;
      return fs[name]?.(...args);
    },
  ];
  const counted = Object.keys(calls) as (keyof typeof calls)[];
  return { ...fs, ...(Object.fromEntries(counted.map(counting)) as object) };
});

const SESSIONS = 30;
const clock = { now: 0, timeZone: 'UTC' };
const prices = { prices: PRICES, mark: 'of the judge' };
const never = new AbortController().signal;

const idOf = (number: number) => `20260101-000000-${String(number).padStart(8, '0')}`;
const talk = (id: string) =>
  [said('How?', 'user'), said('So.')].map((body, at) => recordOf(at + 1, body, id));

/** A store of some sessions whose folders were changed long ago, and a source of them. */
async function storeOf(sessions: number) {
  const { store, root } = await temporaryStore();
  for (let number = 0; number < sessions; number++)
    await store.importConversation(idOf(number), talk(idOf(number)));
  const folder = join(root, 'conversations');
  const settle = () => {
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1_000, 1_000);
    utimesSync(folder, 1_000, 1_000);
  };
  const source = new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });
  return { store, folder, settle, source };
}

/** The last update of a search that tells of no session, and what it called meanwhile. */
async function asked(source: StoreSource, text: string, rows: RowKind) {
  const limits = { sessions: 0, hitsOfSession: 0 };
  const question = { text, rows, ...clock, order: 'newest', limits } as const;
  for (const name of Object.keys(calls)) calls[name as keyof typeof calls] = 0;
  let last: SearchUpdate | undefined;
  for await (const update of search([source], question, prices, never)) last = update;
  return { totals: last?.totals, ...calls };
}

test('a warm question about anything but texts looks twice at each session and reads nothing', async () => {
  const { settle, source } = await storeOf(SESSIONS);
  await asked(source, 'role:user', 'messages');
  settle();
  await asked(source, 'role:user', 'messages');
  const work = { lstatSync: 2 * SESSIONS, readdirSync: 0, openSync: 0, readSync: 0 };
  for (const rows of ['messages', 'runs', 'sessions'] as const)
    expect(await asked(source, 'role:user began.before:2100-01-01', rows)).toMatchObject({
      totals: { rows: SESSIONS },
      ...work,
    });
});

test('a conversation that comes is found by the next question, and one that goes is not, however long ago others changed', async () => {
  const { store, folder, settle, source } = await storeOf(3);
  await asked(source, 'role:user', 'messages');
  settle();
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(3);
  await store.importConversation(idOf(8), talk(idOf(8)));
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(4);
  settle();
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(4);
  rmSync(join(folder, idOf(1)), { recursive: true });
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(3);
});

test('where the time of the folder tells nothing, what comes and goes is seen a while later', async () => {
  const { store, folder, settle, source } = await storeOf(3);
  settle();
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(3);
  await store.importConversation(idOf(8), talk(idOf(8)));
  await store.importConversation(idOf(9), talk(idOf(9)));
  rmSync(join(folder, idOf(1)), { recursive: true });
  settle();
  const later = performance.now() + 60_000;
  const clocks = vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => clocks.mockRestore());
  expect((await asked(source, 'role:user', 'messages')).totals?.sessions).toBe(4);
});

test('a warm session that is asked for no text answers without waiting', async () => {
  const { source } = await storeOf(1);
  await asked(source, 'role:user', 'messages');
  const [session] = await source.sessions();
  for (const [text, count] of [
    ['role:user', 1],
    ['agent:Pickle -role:user began.before:2100-01-01', 1],
    ['(role:user OR is:error) depth:0', 1],
  ] as const) {
    const planned = planQuery(text, { rows: 'messages', ...clock });
    if (!planned.ok || !session) throw new Error(text);
    const answer = new Asking(planned.plan, prices, 'told').ask(session, never);
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toMatchObject({ indexes: { length: count } });
  }
});

import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import { planRetention, type RetentionPolicy } from '../../../src/store/catalog/retention.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 100 * DAY;

function entry(
  conversation: string,
  ageDays: number,
  bytes: number,
  more: Partial<CatalogEntry> = {},
): CatalogEntry {
  const endedAt = NOW - ageDays * DAY;
  const counts = {
    messages: 1,
    runs: 1,
    recordedHere: true,
    tokens: 0,
    tokensEstimated: false,
    damaged: 0,
    bytes,
  };
  return {
    conversation,
    title: '',
    agents: [],
    startedAt: endedAt,
    endedAt,
    ...counts,
    state: 'done',
    scripted: false,
    ...more,
  };
}

const entries = [
  entry('new', 1, 100),
  entry('older', 10, 100),
  entry('oldest', 40, 100),
  entry('running', 50, 100, { state: 'running' }),
  entry('timeless', 0, 100, { endedAt: 0 }),
];

test.each<[RetentionPolicy, string[]]>([
  [{}, []],
  [{ maxAgeDays: 30 }, ['oldest']],
  [{ maxAgeDays: 5 }, ['oldest', 'older']],
  [{ maxBytes: 500 }, []],
  [{ maxBytes: 450 }, ['timeless']],
  [{ maxBytes: 250 }, ['timeless', 'oldest', 'older']],
  [{ maxBytes: 0 }, ['timeless', 'oldest', 'older', 'new']],
  [{ maxAgeDays: 30, maxBytes: 350 }, ['timeless', 'oldest']],
])('the policy %j takes %j', (policy, expected) => {
  expect(planRetention(entries, policy, NOW).map(({ conversation }) => conversation)).toEqual(expected);
});

test('a plan deletes nothing before it is applied, and one that fails does not keep the others', async () => {
  const { store } = await temporaryStore({ clock: { now: () => 1_790_000_000_000 + 40 * DAY } });
  for (const id of ['c1', 'c2']) {
    const journal = await store.createConversation(id);
    journal.append(recordOf(1, said('hello'), id));
    await journal.close();
  }
  const plan = await store.retention.plan({ maxAgeDays: 30 });
  expect(plan.map(({ conversation }) => conversation).sort()).toEqual(['c1', 'c2']);
  expect(store.catalog.entries()).toHaveLength(2);
  await store.resumeConversation('c1');
  const { deleted, failed } = await store.retention.apply(plan);
  expect(deleted.map(({ conversation }) => conversation)).toEqual(['c2']);
  expect(failed).toMatchObject([
    { entry: { conversation: 'c1' }, why: expect.stringContaining('recorded') as string },
  ]);
});

test('what a kept conversation goes on from is kept, and so is what that goes on from', () => {
  const family = [
    entry('first', 50, 100),
    entry('second', 45, 100, { goesOnFrom: 'first' }),
    entry('third', 1, 100, { goesOnFrom: 'second' }),
    entry('alone', 50, 100),
    entry('gone too', 40, 100, { goesOnFrom: 'alone' }),
  ];
  const plan = planRetention(family, { maxAgeDays: 30 }, NOW);
  expect(plan.map(({ conversation }) => conversation)).toEqual(['alone', 'gone too']);
});

import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import { planRetention, type RetentionPolicy } from '../../../src/store/catalog/retention.js';
import { names, pathsOf } from '../../../src/store/files/storePaths.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { readTombstones } from '../../../src/store/write/removeOwnFolder.js';
import { sealReport } from '../../../src/store/write/sealReport.js';
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

test('whatever deletes a sealed conversation leaves a tombstone with its head, in one chain that holds', async () => {
  const { store, root } = await temporaryStore({ clock: { now: () => 1_790_000_000_000 + 40 * DAY } });
  const heads: unknown[] = [];
  for (const id of ['c1', 'c2', 'c3', 'c4']) {
    const journal = await store.createConversation(id);
    journal.append(recordOf(1, said('hello'), id));
    await journal.close();
    heads.push((await sealReport(pathsOf(root, id))).head);
  }
  await store.deleteConversation('c1');
  await store.deleteConversation('c2', 'replaced');
  const plan = await store.retention.plan({ maxAgeDays: 30 });
  await store.retention.apply(plan.filter(({ conversation }) => conversation === 'c3'));
  await store.close();
  // A deletion that a crash cut off, which whoever opens the store next completes.
  const { folder } = pathsOf(root, 'c4');
  await rename(folder, join(dirname(folder), `${names.deleted}c4`));
  await (await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined })).close();
  const { tombstones, broken } = await readTombstones(root);
  expect(broken).toBeUndefined();
  expect(tombstones.map(({ conversation, why, head }) => [conversation, why, head])).toEqual(
    ['asked', 'replaced', 'retention', 'interrupted'].map((why, at) => [`c${at + 1}`, why, heads[at]]),
  );
});

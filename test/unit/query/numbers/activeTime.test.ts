import { expect, test } from 'vitest';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import { exportMessages } from '../../../../src/export/exportMessages.js';
import { IDLE_LIMIT_MS } from '../../../../src/query/numbers/usageTotals.js';
import { readTotals } from '../../../../src/query/numbers/sessionTotals.js';
import { cellsOf } from '../../../support/formsOfCost.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { StoryTeller } from '../../../support/storyTeller.js';

async function totalsOf({ records }: StoryTeller) {
  const { signal } = new AbortController();
  return (await readTotals(new MemoryTranscript('c', records), NO_PRICES, signal)).statistics;
}

test('active time leaves out what is longer than the limit, but for what a tool took of it', async () => {
  const story = new StoryTeller();
  const baker = story.run('Baker', 'Bake.');
  baker.say('Soon.', 1_000);
  story.wait(IDLE_LIMIT_MS);
  baker.say('Now.', 0);
  story.wait(IDLE_LIMIT_MS + 1);
  baker.say('Later.', 0);
  baker.useTool('oven', {}, 'warm', { ms: 2 * IDLE_LIMIT_MS, think: 500 });
  const { spanMs, activeMs } = await totalsOf(story);
  expect([activeMs, spanMs - activeMs]).toEqual([1_000 + 3 * IDLE_LIMIT_MS + 500, IDLE_LIMIT_MS + 1]);
});

test('what is recorded in another order than it happened counts no time twice', async () => {
  const story = new StoryTeller();
  const baker = story.run('Baker', 'Bake.');
  for (const [at, text] of [
    [60_000, 'one'],
    [30_000, 'two'],
    [90_000, 'three'],
  ] as const) {
    story.now = (story.records[0]?.time ?? 0) + at;
    baker.message({ role: 'user', content: text });
  }
  expect(await totalsOf(story)).toMatchObject({ spanMs: 90_000, activeMs: 90_000 });
});

test('a denied, a cancelled and an open call have counts of their own, and are no errors', async () => {
  const story = new StoryTeller();
  const baker = story.run('Baker', 'Bake.');
  for (const state of ['denied', 'cancelled', 'timedOut', 'open', 'failed'] as const) {
    const call = baker.toolCall('oven', { how: state });
    baker.say(null, 10, [call]);
    baker.answer(call, state, 40, state !== 'open', state);
  }
  baker.say(null, 10, [baker.toolCall('oven', {})]);
  const { states, errors, toolCalls } = await totalsOf(story);
  expect({ states, errors, toolCalls }).toEqual({
    states: { denied: 1, cancelled: 1, timedOut: 1, open: 2, failed: 1 },
    errors: 2,
    toolCalls: 6,
  });
  const [head = [], ...rows] = cellsOf(exportMessages(story.records, 'csv', { full: true, redact: false }));
  const told = rows.map((row) => row[head.indexOf('state')]).filter((state) => state !== '');
  expect(told).toEqual(['denied', 'cancelled', 'timedOut', 'open', 'failed']);
});

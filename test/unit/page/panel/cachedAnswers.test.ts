import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { CachedAnswers, type ViewAnswers } from '../../../../src/page/panel/projection/cachedAnswers.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { recordOf, said } from '../../../support/storeFixture.js';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** A transcript that is read as it grows, and what was kept of it. */
function followed() {
  const projection = new TranscriptProjection();
  const saved: ViewAnswers[] = [];
  const state = { isRunning: false };
  const kept = new CachedAnswers({
    projection,
    keeper: {
      load: () => Promise.resolve(undefined),
      save: (answers) => {
        saved.push(answers);
        return Promise.resolve();
      },
    },
    length: () => projection.index.records,
    isRunning: () => state.isRunning,
    draw: () =>
      Promise.resolve({
        countsSteps: false,
        start: 0,
        end: 0,
        lanes: [],
        spans: [],
        pauses: [],
        thinned: false,
      }),
    least: 100,
  });
  onTestFinished(() => kept.dispose());
  const grow = async (records: number) => {
    for (let at = 0; at < records; at++)
      projection.add([factsOf(recordOf(projection.index.records + 1, said('word')))]);
    await kept.keep();
  };
  return { kept, grow, saved, state, projection };
}

test('a transcript that grows a record at a time is drawn as a whole a few times only, and once it rests', async () => {
  const { grow, saved, projection } = followed();
  await grow(1_000);
  for (let record = 0; record < 500; record++) await grow(1);
  // 1.1 to the power of 5 is more than 1.5.
  expect(saved.length).toBeLessThanOrEqual(5);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(saved.at(-1)?.records).toBe(projection.index.records);
  expect(saved.at(-1)?.statistics.messages).toBe(1_500);
});

test('nothing is kept of a short transcript, nor while agents are at work', async () => {
  const { grow, saved, state } = followed();
  await grow(99);
  state.isRunning = true;
  await grow(1_000);
  expect(saved).toHaveLength(0);
  state.isRunning = false;
  await grow(0);
  expect(saved).toHaveLength(1);
});

test('what would be kept later is forgotten with the panel', async () => {
  const { kept, grow, saved } = followed();
  await grow(1_000);
  await grow(1);
  kept.dispose();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saved.map(({ records }) => records)).toEqual([1_000]);
});

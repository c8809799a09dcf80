import { expect, test, vi } from 'vitest';
import { CallCosts } from '../../../../src/query/numbers/callCosts.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { addToSummary, emptySummary } from '../../../../src/query/numbers/summary.js';
import { Outline } from '../../../../src/query/numbers/outline.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { largeStory } from '../../../support/largeStory.js';

/** Passes records on and counts each property that is read of them. */
function counted(records: readonly ReadRecord[], work: { steps: number }): ReadRecord[] {
  const counting = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, key, receiver) {
        work.steps++;
        const found: unknown = Reflect.get(target, key, receiver);
        return typeof found === 'object' && found !== null ? counting(found) : found;
      },
    });
  return records.map((record) => counting(record));
}

/** Every view that reads a transcript to its end, and asks for it again whenever some records have come. */
const views: Record<string, (records: readonly ReadRecord[]) => void> = {
  'the panel': (records) => {
    const projection = new TranscriptProjection();
    for (let at = 0; at < records.length; at += 100) {
      projection.add(records.slice(at, at + 100).map(factsOf));
      projection.facts();
      projection.tools.summary();
      projection.turns.slice(0, 10);
    }
  },
  'the list of transcripts': (records) => {
    const summary = emptySummary();
    for (const record of records) addToSummary(summary, record);
  },
  'the outline': (records) => {
    const outline = new Outline();
    for (const record of records) outline.add(record);
  },
};

test.each(Object.entries(views))('%s reads ten times as much of ten times the records', (_, read) => {
  const workFor = (messages: number) => {
    const work = { steps: 0 };
    read(counted(largeStory(messages).records, work));
    return work.steps;
  };
  const [small, large] = [workFor(300), workFor(3_000)];
  expect(small).toBeGreaterThan(300);
  expect(large / small).toBeLessThan(11);
});

test('totals that are asked for again and again look at ten times the calls of ten times the records', () => {
  const workFor = (messages: number) => {
    const looked = vi.spyOn(CallCosts.prototype, 'each');
    views['the panel']?.(largeStory(messages).records);
    const { length } = looked.mock.calls;
    looked.mockRestore();
    return length;
  };
  const [small, large] = [workFor(3_000), workFor(30_000)];
  expect(small).toBeGreaterThan(200);
  expect(large / small).toBeLessThan(15);
});

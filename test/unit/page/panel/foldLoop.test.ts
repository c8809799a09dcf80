import { expect, it } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { PriorityGate } from '../../../../src/page/panel/recordReader.js';
import { ProjectionLoader } from '../../../../src/page/panel/projection/projectionLoader.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { largeStory } from '../../../support/largeStory.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';

/** A transcript that says what is read of it; while `hold` is set, a person's rows are not read to their end. */
class WatchedTranscript extends MemoryTranscript {
  readonly background: number[] = [];
  readonly asked: number[] = [];
  hold: Promise<void> | undefined;

  override async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const isForPerson = end - start <= 64;
    (isForPerson ? this.asked : this.background).push(start);
    if (isForPerson) await this.hold;
    return super.read(start, end);
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

it('rows that a person looks at are read before anything else, and then the rest goes on', async () => {
  const story = largeStory(8_000);
  const transcript = new WatchedTranscript(story.conversation, story.records);
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  transcript.asked.length = 0;
  let release: () => void = () => undefined;
  transcript.hold = new Promise((resolve) => (release = resolve));
  const rows = page.client.ask('rows', { generation: 0, start: 0, end: 40 });
  while (transcript.asked.length === 0) await turn();
  const read = transcript.background.length;
  // A slice that was being read already may still come in.
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(transcript.background.length - read).toBeLessThanOrEqual(1);
  expect(page.reading.projection.index.records).toBeLessThan(story.records.length);
  release();
  expect((await rows).rows.length).toBeGreaterThan(0);
  await page.until(() => page.last('list')?.read === story.records.length);
});

it('what a person waits for in one panel comes before what another panel reads', async () => {
  const { records } = largeStory(4_000);
  const gate = new PriorityGate();
  const projection = new TranscriptProjection();
  let reads = 0;
  const transcript = new MemoryTranscript('c', records);
  const loader = new ProjectionLoader({
    transcript,
    projection,
    gate,
    facts: (start, end) => {
      reads++;
      return Promise.resolve(records.slice(start, end).map(factsOf));
    },
    onAdvance: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  let release: () => void = () => undefined;
  const rowsOfTheOther = gate.run(() => new Promise<void>((resolve) => (release = resolve)));
  loader.start();
  for (let turns = 0; turns < 50; turns++) await turn();
  expect([reads, projection.index.records]).toEqual([0, 0]);
  release();
  await rowsOfTheOther;
  await loader.reached(records.length);
  expect(projection.index.records).toBe(records.length);
});

import { expect, it } from 'vitest';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** A transcript whose reading takes as long as `hold`. */
class SlowTranscript extends MemoryTranscript {
  hold: Promise<void> | undefined;

  override async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    await this.hold;
    return super.read(start, end);
  }
}

it('rows that were asked for before a run ended say that it ended', async () => {
  const story = new StoryTeller();
  story.run('planner', 'Go').useTool('search', { query: 'a' }, 'found it');
  const transcript = new SlowTranscript(story.conversation, story.records.slice(0, -1));
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  let release: () => void = () => undefined;
  transcript.hold = new Promise((resolve) => (release = resolve));
  const asked = page.client.ask('rows', { generation: 1, start: 0, end: 10 });
  page.live = { state: 'done', canStop: false, canContinue: true };
  page.changed();
  await page.until(() => page.last('live')?.state === 'done');
  release();
  const row = (await asked).rows.find(({ kind }) => kind === 'tool');
  expect(row).toMatchObject({ tool: 'search', state: 'unanswered' });
});

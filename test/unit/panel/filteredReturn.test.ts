import { expect, test } from 'vitest';
import { NO_CRITERIA } from '../../../src/protocol/criteria.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { PlayedPage } from '../../support/playedPage.js';
import { StoryTeller } from '../../support/storyTeller.js';

test('gives a page that comes back with a filter the place where it stood', async () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  for (let step = 0; step < 40; step++) call.say(step % 2 === 0 ? `even ${step}` : `odd ${step}`);
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  const criteria = { ...NO_CRITERIA, text: 'even' };
  await page.client.ask('ready', { criteria });
  await page.until(() => page.last('matches')?.done === true);
  const { rows } = await page.client.ask('rows', { generation: 1, start: 0, end: 20 });
  const top = rows[10]?.id;
  expect(top).toBeDefined();
  page.session.hide();
  const again = await page.client.ask('ready', { criteria, ...(top !== undefined && { top }) });
  expect(again.at).toEqual({ index: 10, id: top });
});

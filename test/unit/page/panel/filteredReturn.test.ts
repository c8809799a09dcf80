import { expect, test } from 'vitest';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

test('gives a page that comes back with a question the place where it stood', async () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  for (let step = 0; step < 40; step++) call.say(step % 2 === 0 ? `even ${step}` : `odd ${step}`);
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  const question = { ...NO_QUESTION, text: 'even' };
  await page.client.ask('ready', { question });
  await page.until(() => page.last('matches')?.done === true);
  const { rows } = await page.client.ask('rows', { generation: 1, start: 0, end: 20 });
  const top = rows[10]?.id;
  expect(top).toBeDefined();
  page.session.hide();
  const again = await page.client.ask('ready', { question, ...(top !== undefined && { top }) });
  expect(again.at).toEqual({ index: 10, id: top });
});

test('answers what a page asks before it has heard anything', async () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  for (let step = 0; step < 40; step++) call.say(step % 2 === 0 ? `even ${step}` : `odd ${step}`);
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  const begun = page.client.ask('ready', { question: NO_QUESTION });
  const asked = page.client.ask('ask', { number: 1, question: { ...NO_QUESTION, text: 'even' } });
  await Promise.all([begun, asked]);
  await page.until(() => page.last('matches')?.done === true);
  expect(page.last('matches')).toMatchObject({ number: 1, matches: 20 });
});

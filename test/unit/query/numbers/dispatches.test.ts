import { expect, test } from 'vitest';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** The statistics of a story, as the page of its panel is told them. */
async function told(story: StoryTeller) {
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  await page.client.ask('ready', {});
  return await page.client.ask('statistics', {});
}

test('who called whom is told with how often, what failed and what it cost, roles together', async () => {
  const story = new StoryTeller();
  const planner = story.run('planner', 'Go');
  for (const [outcome, answer] of [
    ['done', 'It is the third line.'],
    ['failed', 'Lost.'],
    ['cancelled', 'Stopped.'],
  ] as const) {
    const { child, call } = planner.dispatch('researcher', 'Look');
    child.say(answer);
    child.end(outcome);
    planner.answer(call, answer);
  }
  planner.say('Done');
  planner.end();
  const { dispatches, calls } = await told(story);
  expect(dispatches).toMatchObject([{ from: 'planner', to: 'researcher', count: 3, failures: 1 }]);
  expect(calls).toBe(1 + dispatches.reduce((sum, { count }) => sum + count, 0));
  const [first] = story.records.flatMap(({ type }, position) => (type === 'dispatch' ? position : []));
  expect(dispatches[0]?.first).toBe(first);
});

test('an agent that does all of it called nobody', async () => {
  const story = new StoryTeller();
  story.run('planner', 'Go').say('Done');
  expect((await told(story)).dispatches).toEqual([]);
});

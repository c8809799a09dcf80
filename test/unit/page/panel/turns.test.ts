import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { STORY_START, StoryTeller } from '../../../support/storyTeller.js';

const HOUR = 3_600_000;

/** How long the turns of a story took, in milliseconds, and all of it together. */
function lengthsOf(story: StoryTeller) {
  const projection = new TranscriptProjection();
  projection.add(story.records.map(factsOf));
  const turns = projection.turns.slice(0, projection.turns.length);
  return { turns: turns.map(({ start, end }) => end - start), whole: projection.turns.durationMs };
}

/** Says something at a time after the beginning, in milliseconds. */
function at(story: StoryTeller, ms: number, say: () => unknown): void {
  story.now = STORY_START + ms;
  say();
}

test('an answer of another time zone makes no turn of hours', () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'One');
  at(story, 5 * HOUR, () => call.message({ role: 'assistant', content: 'Yes.' }));
  at(story, 60_000, () => call.message({ role: 'user', content: 'Two' }));
  at(story, 90_000, () => call.message({ role: 'assistant', content: 'Yes.' }));
  expect(lengthsOf(story)).toEqual({ turns: [60_000, 30_000], whole: 90_000 });
});

test('one record whose clock was ahead makes no turn of hours either', () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'One');
  at(story, 5 * HOUR, () => call.message({ role: 'assistant', content: 'Wait.' }));
  at(story, 20_000, () => call.message({ role: 'assistant', content: 'Yes.' }));
  expect(lengthsOf(story)).toEqual({ turns: [20_000], whole: 20_000 });
});

test('a prompt whose clock was ahead of its answers takes no time, and never less', () => {
  const story = new StoryTeller();
  story.now = STORY_START + 5 * HOUR;
  const call = story.run('planner', 'One');
  at(story, 0, () => call.message({ role: 'assistant', content: 'Yes.' }));
  expect(lengthsOf(story)).toEqual({ turns: [0], whole: 0 });
});

test('what a run says of itself counts, else its turns without the pauses between them', () => {
  const story = new StoryTeller();
  const first = story.run('planner', 'One');
  first.say('Yes.', 2_000);
  first.end();
  story.wait(HOUR);
  const second = story.run('planner', 'Two');
  second.say('Yes.', 3_000);
  story.wait(HOUR);
  second.message({ role: 'user', content: 'Three' });
  second.say('Yes.', 4_000);
  expect(lengthsOf(story).whole).toBe(9_000);
});

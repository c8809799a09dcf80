import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { addToSummary, emptySummary } from '../../../../src/query/numbers/summary.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { STORY_START, StoryTeller } from '../../../support/storyTeller.js';

const DAY = 86_400_000;

test('a title that is given days later is no message: the list and the panel say when the work ended', () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'One');
  call.message({ role: 'assistant', content: 'Yes.' });
  const last = story.records.at(-1)!.time;
  story.now = STORY_START + 3 * DAY;
  call.add({ type: 'title', title: 'A better name' });
  const summary = emptySummary();
  for (const record of story.records) addToSummary(summary, record);
  const folds = new TranscriptProjection();
  folds.add(story.records.map(factsOf));
  expect([summary.startedAt, summary.endedAt, summary.title]).toEqual([STORY_START, last, 'A better name']);
  expect(folds.facts().startedAt).toBe(summary.startedAt);
});

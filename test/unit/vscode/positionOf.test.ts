import { expect, test } from 'vitest';
import { positionOf } from '../../../src/vscode/reading/positionOf.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { StoryTeller } from '../../support/storyTeller.js';

/** Pickle asks Cookie, who says as many things as told; then Pickle answers. */
function aStory(sentences: number) {
  const story = new StoryTeller();
  const pickle = story.run('Pickle', 'bake');
  const { child, call } = pickle.dispatch('Cookie', 'sift');
  for (let n = 0; n < sentences; n++) child.say(`sentence ${n}`);
  child.end();
  pickle.answer(call, 'sifted');
  pickle.say('Ready.');
  pickle.end();
  const transcript = new MemoryTranscript(story.conversation, story.records);
  return { story, transcript, toolCallId: call.id, pickle: pickle.place.call, cookie: child.place.call };
}

test.for([1, 2_000])('a dispatch is found among %i sentences', async (sentences) => {
  const { story, transcript, toolCallId, pickle } = aStory(sentences);
  const position = await positionOf(transcript, { call: pickle, toolCallId });
  expect(story.records[position ?? -1]).toMatchObject({ type: 'dispatch', toolCallId });
});

test('without a tool call it is the last thing that was said in the call', async () => {
  const { story, transcript, pickle, cookie } = aStory(3);
  const said = async (call: string) => story.records[(await positionOf(transcript, { call })) ?? -1];
  expect(await said(pickle)).toMatchObject({ message: { content: 'Ready.' } });
  expect(await said(cookie)).toMatchObject({ message: { content: 'sentence 2' } });
});

test('a tool call that is no dispatch leads to its call, and what is not there nowhere', async () => {
  const { story, transcript, pickle, toolCallId } = aStory(1);
  const position = await positionOf(transcript, { call: pickle, toolCallId: 'other' });
  expect(story.records[position ?? -1]).toMatchObject({ message: { content: 'Ready.' } });
  expect(await positionOf(transcript, { call: 'k_99', toolCallId })).toBeUndefined();
});

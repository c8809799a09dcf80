import { expect, test } from 'vitest';
import { positionWhere, type CallTarget } from '../../../src/app/transcripts/positionWhere.js';
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
  const found = async ({ call: wanted, toolCallId }: CallTarget) => {
    const isWanted = (target: CallTarget) => target.call === wanted && target.toolCallId === toolCallId;
    return story.records[(await positionWhere(transcript, isWanted)) ?? -1];
  };
  return {
    transcript,
    found,
    toolCallId: call.id,
    pickle: pickle.callSite.call,
    cookie: child.callSite.call,
  };
}

test.for([1, 2_000])('a dispatch is found among %i sentences', async (sentences) => {
  const { found, toolCallId, pickle } = aStory(sentences);
  expect(await found({ call: pickle, toolCallId })).toMatchObject({ type: 'dispatch', toolCallId });
});

test('without a tool call it is the last thing that was said in the call', async () => {
  const { found, pickle, cookie } = aStory(3);
  expect(await found({ call: pickle })).toMatchObject({ message: { content: 'Ready.' } });
  expect(await found({ call: cookie })).toMatchObject({ message: { content: 'sentence 2' } });
});

test('a tool call that is no dispatch is where it was asked for, and what is not there is nowhere', async () => {
  const story = new StoryTeller();
  const pickle = story.run('Pickle', 'bake');
  const call = pickle.toolCall('read_file', { path: 'card.md' });
  pickle.say(null, 100, [call]);
  pickle.answer(call, 'flour');
  const transcript = new MemoryTranscript(story.conversation, story.records);
  const asked = await positionWhere(transcript, ({ toolCallId }) => toolCallId === call.id);
  expect(story.records[asked ?? -1]).toMatchObject({ message: { tool_calls: [{ id: call.id }] } });
  expect(await positionWhere(transcript, ({ toolCallId }) => toolCallId === 'other')).toBeUndefined();
});

test('a call is asked about once, however much it says', async () => {
  const { transcript } = aStory(1_000);
  const asked: string[] = [];
  await positionWhere(transcript, ({ call, toolCallId }) => {
    asked.push(`${call} ${toolCallId}`);
    return false;
  });
  expect(asked).toEqual([...new Set(asked)]);
});

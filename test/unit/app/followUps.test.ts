import { expect, test } from 'vitest';
import { chatMemoryOf, type ChatMemory } from '../../../src/app/answers/chatMemory.js';
import { followUps } from '../../../src/app/features/chats.js';

const agents = ['Pickle', 'Cookie', 'Crumb', 'Jam', 'Toast'];
const after = (memory: Partial<ChatMemory>) =>
  followUps({ ended: 'done', prompt: 'bake', agent: 'Pickle', ...memory }, agents);

test('after an answer other agents can be asked the same, three at most', () => {
  expect(after({})).toEqual([
    { label: 'Ask Cookie the same', command: 'run', prompt: 'Cookie bake' },
    { label: 'Ask Crumb the same', command: 'run', prompt: 'Crumb bake' },
    { label: 'Ask Jam the same', command: 'run', prompt: 'Jam bake' },
  ]);
});

test('after a stop or a failure the agent can go on', () => {
  expect(after({ ended: 'stopped' })).toEqual([{ label: 'Go on', prompt: 'Go on where you stopped.' }]);
});

test('where no agent was named that there is, those there are can be asked', () => {
  const asked = followUps({ ended: 'unknownAgent', prompt: 'Pikle bake', agent: 'Pickle' }, ['Pickle']);
  expect(asked).toEqual([{ label: 'Ask Pickle', command: 'run', prompt: 'Pickle Pikle bake' }]);
  expect(followUps({ ended: 'unknownAgent', prompt: '' }, agents)).toEqual([]);
});

test('what could not be asked at all has nothing to follow', () => {
  expect(after({ ended: 'refused' })).toEqual([]);
  expect(followUps(undefined, agents)).toEqual([]);
});

test('a name is shown without what cannot be seen', () => {
  const [first] = followUps({ ended: 'done', prompt: 'bake' }, ['Pic\u202ekle']);
  expect(first?.label).toBe('Ask Pic⟨U+202E⟩kle the same');
});

test('only what an answer of ours keeps is read', () => {
  const kept: ChatMemory = { ended: 'done', prompt: 'bake', conversation: 'c', agent: 'Pickle' };
  expect(chatMemoryOf({ ...kept, more: 1 })).toEqual(kept);
  expect(chatMemoryOf({ ...kept, conversation: 1, agent: {} })).toEqual({ ended: 'done', prompt: 'bake' });
  for (const other of [undefined, null, 'done', [], { conversation: 'c' }, { ended: 1, prompt: 'bake' }]) {
    expect(chatMemoryOf(other)).toBeUndefined();
  }
});

import { expect, test } from 'vitest';
import { ConversationMemories } from '../../../src/app/runs/teamParts.js';

test('the runs of one conversation share a memory, those of another have their own', () => {
  const memories = new ConversationMemories();
  memories.of('a').remembered.add('run_command:1');
  expect(memories.of('a').remembered.has('run_command:1')).toBe(true);
  expect(memories.of('a').seen).toBe(memories.of('a').seen);
  expect(memories.of('b').remembered.size).toBe(0);
  expect(memories.of('b').scripts).not.toBe(memories.of('a').scripts);
});

test('of very many conversations those that were gone on with last are known', () => {
  const memories = new ConversationMemories();
  memories.of('first').remembered.add('k');
  memories.of('second').remembered.add('k');
  for (let other = 0; other < 98; other++) memories.of(`other ${other}`);
  expect(memories.of('first').remembered.size).toBe(1);
  memories.of('one more');
  expect(memories.of('first').remembered.size).toBe(1);
  expect(memories.of('second').remembered.size).toBe(0);
});

import { expect, test } from 'vitest';
import { MessageAccumulator } from '../../../../src/core/record/messageAccumulator.js';
import type { ChatMessage } from '../../../../src/core/message.js';

const say = (content: string): ChatMessage => ({ role: 'assistant', content });
const texts = (entries: readonly { message: ChatMessage }[]) => entries.map((entry) => entry.message.content);

test('messages come back in the order in which they were said, by agent too', () => {
  const log = new MessageAccumulator();
  log.append('Pickle', 0, say('one'));
  log.extend('Cookie', 1, [say('two'), say('three')]);
  expect(texts(log.all())).toEqual(['one', 'two', 'three']);
  expect(texts(log.forWorker('Cookie'))).toEqual(['two', 'three']);
  expect(log.forAgent('Cookie')).toEqual(log.forWorker('Cookie'));
  expect(log.all().map((entry) => entry.seq)).toEqual([1, 2, 3]);
});

test('all() is a copy', () => {
  const log = new MessageAccumulator();
  log.append('Pickle', 0, say('kept'));
  log.all().length = 0;
  expect(log.size).toBe(1);
});

test('over its limit by count it drops the oldest and says how many', () => {
  const log = new MessageAccumulator({ maxMessages: 3 });
  for (let i = 0; i < 5000; i++) log.append('Pickle', 0, say(String(i)));
  expect(texts(log.all())).toEqual(['4997', '4998', '4999']);
  expect(log.dropped).toBe(4997);
});

test('over its limit by bytes it drops the oldest', () => {
  const log = new MessageAccumulator({ maxBytes: 5000 });
  log.extend('Pickle', 0, [say('a'.repeat(1500)), say('b'.repeat(1500))]);
  expect(log.all().map((entry) => entry.message.content?.[0])).toEqual(['b']);
});

test('a listener that throws is reported and hurts nobody', () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const log = new MessageAccumulator({}, (error) => failures.push(error));
  log.onDidAppend(() => {
    throw new Error('broken listener');
  });
  log.onDidAppend((entry) => heard.push(entry.agent));
  log.append('Pickle', 0, say('hello'));
  expect(heard).toEqual(['Pickle']);
  expect(failures).toHaveLength(1);
});

import { expect, test } from 'vitest';
import type { LogRecord } from '../../../../src/core/record.js';
import { MessageAccumulator } from '../../../../src/core/record/messageAccumulator.js';
import { Recorder } from '../../../../src/core/record/recorder.js';

const place = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 };
const say = (content: string) =>
  ({ ...place, type: 'message', message: { role: 'assistant', content } }) as const;

function recorder(lastSeq = 0) {
  const accumulator = new MessageAccumulator();
  const heard: LogRecord[] = [];
  const made = new Recorder({
    conversation: 'c',
    accumulator,
    lastSeq,
    clock: { now: () => 42 },
    onListenerFailure: (error) => {
      throw error;
    },
  });
  made.onDidRecord((record) => heard.push(record));
  return { made, accumulator, heard };
}

test('a draft becomes a frozen record that everybody has at once', () => {
  const { made, accumulator, heard } = recorder();
  const record = made.record(say('hello'));
  expect(Object.isFrozen(record)).toBe(true);
  expect(record).toMatchObject({ seq: 1, time: 42, conversation: 'c', agent: 'Pickle', depth: 0 });
  expect(heard).toEqual([record]);
  expect(accumulator.all()).toMatchObject([{ seq: 1, run: 'r', call: 'k', time: 42 }]);
});

test('the keys of a record come in the order of the disk', () => {
  const { made } = recorder();
  const record = made.record({ ...say('hello'), parentCall: 'p' });
  const header = ['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth', 'type'];
  expect(Object.keys(record)).toEqual([...header, 'message']);
});

test('a conversation that goes on counts on', () => {
  const { made } = recorder(7);
  expect(made.record(say('again')).seq).toBe(8);
});

test('only messages reach the accumulator', () => {
  const { made, accumulator, heard } = recorder();
  made.record({ ...place, type: 'title', title: 'Cucumbers' });
  expect(accumulator.size).toBe(0);
  expect(heard).toHaveLength(1);
});

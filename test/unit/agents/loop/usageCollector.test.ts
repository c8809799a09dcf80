import { expect, test } from 'vitest';
import { UsageCollector } from '../../../../src/agents/loop/usageCollector.js';

const usage = (inputTokens: number, outputTokens = 0, estimated = false) => ({
  inputTokens,
  outputTokens,
  estimated,
});

test("a child's usage is part of its parent's total, at once, and of nobody's own", () => {
  const collector = new UsageCollector();
  collector.begin({ call: 'a' });
  collector.begin({ call: 'b', parentCall: 'a' });
  collector.add({ call: 'c', parentCall: 'b' }, usage(5, 1));
  collector.add({ call: 'a' }, usage(10));
  expect(collector.own('a')).toEqual(usage(10));
  expect(collector.total('a')).toEqual(usage(15, 1));
  expect(collector.own('b')).toEqual(usage(0));
  expect(collector.total('b')).toEqual(usage(5, 1));
  expect(collector.all()).toEqual(usage(15, 1));
});

test('a sum with an estimate is an estimate', () => {
  const collector = new UsageCollector();
  collector.add({ call: 'a' }, usage(1));
  collector.add({ call: 'b', parentCall: 'a' }, usage(1, 0, true));
  expect(collector.own('a').estimated).toBe(false);
  expect(collector.total('a').estimated).toBe(true);
});

test('a call that nobody knows has cost nothing', () => {
  expect(new UsageCollector().total('x')).toEqual(usage(0));
});

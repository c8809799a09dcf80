import { afterEach, expect, test, vi } from 'vitest';
import { TimeSlices, yieldToEventLoop } from '../../../src/core/yieldToEventLoop.js';

afterEach(() => void vi.restoreAllMocks());

test('others have their turn before it resolves', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('others'));
  await yieldToEventLoop();
  expect(order).toEqual(['others']);
});

test('nobody waits within a slice; after it all wait together, once', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const slices = new TimeSlices(8);
  now = 7;
  expect(slices.whenOver()).toBeUndefined();
  now = 8;
  const turn = slices.whenOver();
  expect(turn).toBeInstanceOf(Promise);
  expect(slices.whenOver()).toBe(turn);
  await turn;
  expect(slices.whenOver()).toBeUndefined();
});

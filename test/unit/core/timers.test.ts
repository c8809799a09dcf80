import { expect, test } from 'vitest';
import { delay, settledWithin, systemTimers } from '../../../src/core/timers.js';
import { ManualTime } from '../../support/manualTime.js';

test('a delay ends when its time is over', async () => {
  const time = new ManualTime();
  let over = false;
  void delay(time, 100).then(() => (over = true));
  await time.advance(99);
  expect(over).toBe(false);
  await time.advance(1);
  expect(over).toBe(true);
});

test('an aborted signal ends a delay at once and leaves no timer', async () => {
  const time = new ManualTime();
  const stop = new AbortController();
  const waited = delay(time, 60_000, stop.signal);
  stop.abort();
  await waited;
  await delay(time, 60_000, stop.signal);
  expect(time.waiting).toBe(0);
});

test('the timers of the system call once, unless disposed before', async () => {
  const calls: string[] = [];
  systemTimers.after(1, () => calls.push('disposed')).dispose();
  await new Promise<void>((resolve) => {
    systemTimers.after(2, () => {
      calls.push('called');
      resolve();
    });
  });
  expect(calls).toEqual(['called']);
});

test('work is waited for until it has ended, well or not, and no longer than its time', async () => {
  const time = new ManualTime();
  await settledWithin(time, 1_000, Promise.resolve());
  await settledWithin(time, 1_000, Promise.reject(new Error('no')));
  expect(time.waiting).toBe(0);
  let over = false;
  void settledWithin(time, 1_000, new Promise(() => undefined)).then(() => (over = true));
  await time.advance(999);
  expect(over).toBe(false);
  await time.advance(1);
  expect(over).toBe(true);
});

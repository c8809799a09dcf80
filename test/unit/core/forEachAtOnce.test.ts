import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEachAtOnce } from '../../../src/core/forEachAtOnce.js';

test('work is done for every item, and never for more than the limit at a time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running);
    await setImmediate();
    running--;
    done.push(item);
  });
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('after an error nothing further begins, and what had begun ends before it is thrown', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = forEachAtOnce([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('no room');
    await setImmediate();
    ended.push(item);
  });
  await expect(work).rejects.toThrow('no room');
  expect(begun).toEqual([1, 2]);
  expect(ended).toEqual([1]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LookRounds } from '../../../src/capture/lookRounds.js';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

/** When each of some files was looked at, in milliseconds from the beginning of the test. */
function looking(count: number) {
  const rounds = new LookRounds();
  const looks: number[][] = Array.from({ length: count }, () => []);
  const files = looks.map((list) => ({ look: () => void list.push(Date.now() - 1_000_000) }));
  return { rounds, looks, files };
}

test('what is told of many files is one round, soon after the first, and the next is after a rest', async () => {
  const { rounds, looks, files } = looking(50);
  for (const file of files) {
    rounds.soon(file, 0, file.look);
    await vi.advanceTimersByTimeAsync(2);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  const moments = [...new Set(looks.flat())];
  expect(looks.every(({ length }) => length === 1)).toBe(true);
  expect(moments[0]).toBe(20);
  expect(moments).toHaveLength(2);
  expect(moments[1]! - moments[0]!).toBe(250);
});

test('files that are only looked at now and then are looked at together', async () => {
  const { rounds, looks, files } = looking(50);
  for (const file of files) {
    rounds.within(file, 2_000, file.look);
    await vi.advanceTimersByTimeAsync(13);
  }
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(looks.every(({ length }) => length === 1)).toBe(true);
  expect(new Set(looks.flat()).size).toBeLessThanOrEqual(2);
});

test('whoever is told of comes before its usual time, not before what it asked for, and once', async () => {
  const { rounds, looks, files } = looking(2);
  rounds.within(files[0]!, 2_000, files[0]!.look);
  rounds.soon(files[0]!, 0, files[0]!.look);
  rounds.soon(files[1]!, 1_000_000 + 700, files[1]!.look);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(looks).toEqual([[20], [700]]);
});

test('nobody is looked at who has gone, or when all have', async () => {
  const { rounds, looks, files } = looking(2);
  for (const file of files) rounds.soon(file, 0, file.look);
  rounds.forget(files[0]!);
  await vi.advanceTimersByTimeAsync(100);
  expect(looks.map(({ length }) => length)).toEqual([0, 1]);
  rounds.soon(files[0]!, 0, files[0]!.look);
  rounds.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

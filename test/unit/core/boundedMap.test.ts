import { expect, test } from 'vitest';
import { BoundedMap, evictOldest, oldestBeyond } from '../../../src/core/boundedMap.js';

test('what is set again becomes the newest, and the oldest is forgotten', () => {
  const map = new BoundedMap<string, number>(2, [
    ['a', 1],
    ['b', 2],
  ]);
  map.set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

test('entries given at the start are bounded too', () => {
  const map = new BoundedMap<number, string>(1, [
    [1, 'old'],
    [2, 'new'],
  ]);
  expect([...map.keys()]).toEqual([2]);
});

test('what is used is made once, even where it is undefined, and becomes the newest', () => {
  const map = new BoundedMap<string, number | undefined>(2);
  let made = 0;
  const make = () => {
    made++;
    return undefined;
  };
  map.use('a', make);
  map.use('b', make);
  map.use('a', make);
  map.set('c', 1);
  expect(made).toBe(2);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

test('a set gives up its oldest members, and none while there is room', () => {
  const set = new Set(['a', 'b', 'c']);
  expect(oldestBeyond(set, 1)).toEqual(['a', 'b']);
  expect(oldestBeyond(set, 3)).toEqual([]);
  evictOldest(set, 2);
  expect([...set]).toEqual(['b', 'c']);
});

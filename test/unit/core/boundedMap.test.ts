import { expect, test } from 'vitest';
import { BoundedMap, evictOldest, oldestBeyond } from '../../../src/core/boundedMap.js';
import { randomNumbers } from '../../support/randomNumbers.js';

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

test('whatever was set, deleted and cleared before, the oldest are forgotten first', () => {
  const choices = randomNumbers(7);
  for (const max of [0, 1, 3, 20]) {
    const map = new BoundedMap<number, number>(max);
    let model: [number, number][] = [];
    for (let step = 0; step < 3_000; step++) {
      const key = Math.floor(choices() * 30);
      const kind = choices();
      model = model.filter(([other]) => (kind < 0.01 ? false : other !== key));
      if (kind < 0.01) map.clear();
      else if (kind < 0.2) map.delete(key);
      else {
        map.set(key, step);
        model.push([key, step]);
        model.splice(0, model.length - max);
      }
      expect([...map]).toEqual(model);
    }
  }
});

test('the oldest is not looked for from the beginning with each entry', () => {
  let searches = 0;
  class Counted extends BoundedMap<number, number> {
    override keys() {
      searches++;
      return super.keys();
    }
  }
  const map = new Counted(100);
  for (let key = 0; key < 10_000; key++) map.set(key, key);
  expect([...map.values()]).toEqual(Array.from({ length: 100 }, (_, at) => 9_900 + at));
  expect(searches).toBeLessThan(3);
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

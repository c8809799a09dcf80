import { expect, test } from 'vitest';
import { GenerationMap } from '../../../src/core/generationMap.js';

const LIMIT = 100;

function filled(entries: number): GenerationMap<number, string> {
  const map = new GenerationMap<number, string>(LIMIT);
  for (let key = 0; key < entries; key++) map.set(key, `value ${key}`);
  return map;
}

test('the latest keys are remembered, and never more than twice as many', () => {
  for (const entries of [1, LIMIT, LIMIT + 1, 2 * LIMIT, 2 * LIMIT + 1, 10 * LIMIT]) {
    const map = filled(entries);
    for (let key = Math.max(0, entries - LIMIT); key < entries; key++)
      expect(map.get(key)).toBe(`value ${key}`);
    expect(map.size).toBeLessThanOrEqual(2 * LIMIT);
  }
  expect(filled(3 * LIMIT).get(0)).toBeUndefined();
});

test('what is set anew, deleted or cleared is as it was left, in either generation', () => {
  const map = filled(LIMIT + 1);
  map.set(0, 'new');
  expect(map.get(0)).toBe('new');
  for (const key of [0, 1, LIMIT]) map.delete(key);
  expect([0, 1, LIMIT].map((key) => map.get(key))).toEqual([undefined, undefined, undefined]);
  expect(map.get(2)).toBe('value 2');
  map.clear();
  expect([map.get(2), map.size]).toEqual([undefined, 0]);
});

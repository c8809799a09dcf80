import { expect, test } from 'vitest';
import { Numbers } from '../../../src/import/spool/numbers.js';

const COUNT = 5_000;
const LONG = 2 ** 40 + 3;

test('numbers stay what they are when the list grows, and when one comes that needs more bytes', () => {
  const numbers = new Numbers();
  for (let at = 0; at < COUNT; at++) numbers.push(at * 3);
  numbers.set(10, LONG);
  numbers.push(LONG + 1);
  numbers.set(COUNT + 2_000, 7);
  const found = [0, 9, 10, 11, COUNT - 1, COUNT, COUNT + 1, COUNT + 2_000, COUNT + 2_001];
  expect(found.map((at) => numbers.at(at))).toEqual([0, 27, LONG, 33, 14_997, LONG + 1, -1, 7, -1]);
  expect(numbers.length).toBe(COUNT + 2_001);
});

test('the place of a number is found among ascending ones of any size', () => {
  const numbers = new Numbers();
  for (const each of [1, 4, 2 ** 31 - 1, 2 ** 31, LONG]) numbers.push(each);
  expect([0, 2, 2 ** 31, LONG, LONG + 1].map((each) => numbers.firstFrom(each))).toEqual([0, 1, 3, 4, 5]);
});

import { expect, test } from 'vitest';
import { BodyCopy } from '../../../src/capture/proxy/bodyCopy.js';
import { BodyBudget } from '../../../src/capture/requestBody.js';

test('a copy that is larger than one may be is left out, and holds nothing', async () => {
  const budget = new BodyBudget(100);
  const copy = new BodyCopy(10, budget);
  for (let at = 0; at < 5; at += 1) copy.add(Buffer.from('1234'));
  expect(await copy.read(undefined)).toEqual({
    value: undefined,
    problem: '20 bytes are more than is kept at once.',
  });
  expect(budget.used).toBe(0);
});

test('copies that would hold too much together are left out, until others are given up', async () => {
  const budget = new BodyBudget(10);
  const [first, second] = [new BodyCopy(10, budget), new BodyCopy(10, budget)];
  first.add(Buffer.from('"12345"'));
  second.add(Buffer.from('"12345"'));
  expect((await second.read(undefined)).problem).toBe('7 bytes are more than is kept at once.');
  expect((await first.read(undefined)).value).toBe('12345');
  first.free();
  const third = new BodyCopy(10, budget);
  third.add(Buffer.from('"12345"'));
  expect((await third.read(undefined)).value).toBe('12345');
});

import { expect, test } from 'vitest';
import { Emitter, type Disposable } from '../../../src/core/event.js';

const emitter = () =>
  new Emitter<number>((error) => {
    throw error;
  });

test('listeners hear values in the order of their subscription, until they are disposed', () => {
  const numbers = emitter();
  const heard: string[] = [];
  const first = numbers.event((value) => heard.push(`first ${value}`));
  numbers.event((value) => heard.push(`second ${value}`));
  numbers.fire(1);
  first.dispose();
  first.dispose();
  numbers.fire(2);
  expect(heard).toEqual(['first 1', 'second 1', 'second 2']);
});

test('who comes and goes while a value is fired does not change who hears it', () => {
  const numbers = emitter();
  const heard: string[] = [];
  const others: Disposable[] = [];
  numbers.event(() => {
    for (const other of others) other.dispose();
    others.push(numbers.event((value) => heard.push(`late ${value}`)));
  });
  others.push(numbers.event((value) => heard.push(`leaving ${value}`)));
  numbers.fire(1);
  expect(heard).toEqual(['leaving 1']);
  numbers.fire(2);
  expect(heard).toEqual(['leaving 1', 'late 2']);
});

test('the same function subscribed twice hears twice', () => {
  const numbers = emitter();
  let count = 0;
  const listen = () => {
    count++;
  };
  numbers.event(listen).dispose();
  numbers.event(listen);
  numbers.event(listen);
  numbers.fire(1);
  expect(count).toBe(2);
});

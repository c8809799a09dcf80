import { expect, test } from 'vitest';
import { LatePart } from '../../../webview/latePart.js';

test('a part is loaded once, and again where that failed', async () => {
  let asked = 0;
  const part = new LatePart(() =>
    ++asked === 1 ? Promise.reject(new Error('not there')) : Promise.resolve('a part'),
  );
  await expect(part.get()).rejects.toThrow('not there');
  expect(part.present).toBeUndefined();
  expect(await Promise.all([part.get(), part.get()])).toEqual(['a part', 'a part']);
  expect(await part.get()).toBe('a part');
  expect(part.present).toBe('a part');
  expect(asked).toBe(2);
});

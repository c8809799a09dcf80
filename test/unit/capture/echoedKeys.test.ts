import { expect, test } from 'vitest';
import { EchoedKeys, keysOf } from '../../../src/capture/proxy/echoedKeys.js';

const KEY = 'Qz7pL0vN3tR8wX2kM5';

test('a key is looked for however many other values came before it, and one that is used again stays', () => {
  const keys = new EchoedKeys();
  const [often, once] = ['Ab9kL0vN3tR8wX2kM5', 'Cd1kL0vN3tR8wX2kM5'];
  keys.add([once]);
  for (let at = 0; at < 1_000; at++) keys.add([often, `signature-of-request-${at}`]);
  keys.add([KEY]);
  expect(keys.without(`bad keys ${KEY} and ${often}`)).toMatchObject({
    value: 'bad keys [key left out] and [key left out]',
    count: 2,
  });
  // What is looked for does not grow without an end.
  expect(keys.without(once)).toMatchObject({ value: once });
});

test.each([
  [{ 'x-idempotency-key': KEY, 'idempotency-key': KEY }, []],
  [{ 'x-passphrase': KEY, 'x-pat': 'Ab9kL0vN3tR8wX2kM5' }, [KEY, 'Ab9kL0vN3tR8wX2kM5']],
  [{ appkey: KEY }, [KEY]],
  [{ 'cf-access-jwt-assertion': KEY }, [KEY]],
  [
    { authorization: 'Token token="Ab9/Qz7pL0vN3tR8wX2kM5"' },
    ['token="Ab9/Qz7pL0vN3tR8wX2kM5"', 'Ab9/Qz7pL0vN3tR8wX2kM5'],
  ],
])('the keys in the headers %o', (headers, expected) => {
  expect(keysOf(headers, '/v1')).toEqual(expected);
});

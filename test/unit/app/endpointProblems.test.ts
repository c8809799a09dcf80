import { expect, test } from 'vitest';
import { addressProblem, keyProblem } from '../../../src/app/models/endpointProblems.js';

const failure = (code: string, message: string) => ({ code, message, retryable: false });

test('an address that nothing answers at is told with the reason, and any answer will do', () => {
  expect(addressProblem(failure('network', 'No connection to 127.0.0.1:9.'))).toBe(
    'No connection to 127.0.0.1:9. Correct the address, or press Enter again to use it as it is.',
  );
  for (const answer of [['a'], [], failure('auth', 'No key.'), failure('notFound', 'No list.')])
    expect(addressProblem(answer)).toBeUndefined();
});

test('a key is told of when it is refused or missing, and of nothing else', () => {
  const refused = failure('auth', '[Sign in](command:x)');
  expect(keyProblem(refused, 'sk-x')).toBe(
    'It refuses this key. ([Sign in] (command:x)) Correct it, or press Enter again to keep it.',
  );
  expect(keyProblem(refused, '')).toContain('It wants a key.');
  expect(keyProblem(failure('notFound', 'No list.'), 'sk-x')).toBeUndefined();
  expect(keyProblem(['a'], '')).toBeUndefined();
});

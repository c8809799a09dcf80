import { expect, test } from 'vitest';
import { addressProblem, keyProblem } from '../../../src/app/models/endpointProblems.js';

const failure = (code: string, message: string) => ({ code, message, retryable: false });

const CORRECT = 'Correct the address, or press Enter again to use it as it is.';

test('an address that no model server answers at is reported with the reason', () => {
  const base = 'http://127.0.0.1:9/v1';
  for (const code of ['network', 'redirect', 'notFound', 'badResponse', 'http'])
    expect(addressProblem(failure(code, 'It did not work.'), base)).toBe(`It did not work. ${CORRECT}`);
  for (const answer of [['a'], [], failure('auth', 'No key.'), failure('rateLimit', 'Later.')])
    expect(addressProblem(answer, base)).toBeUndefined();
});

test('an address that seems incomplete is shown how most end, and a long answer is cut', () => {
  const answer = failure('notFound', `The endpoint answered 404: ${'<p>'.repeat(500)}`);
  const told = addressProblem(answer, 'http://127.0.0.1:9/api') ?? '';
  expect(told).toContain(' Most addresses end in /v1. Correct');
  expect(told).toContain('press Enter again');
});

test('the key is mentioned when it is refused or missing, and at no other time', () => {
  const refused = failure('auth', '[Sign in](command:x)');
  expect(keyProblem(refused, 'sk-x')).toBe(
    'It refuses this key. ([Sign in] (command:x)) Correct it, or press Enter again to keep it.',
  );
  expect(keyProblem(refused, '')).toContain('It wants a key.');
  expect(keyProblem(failure('notFound', 'No list.'), 'sk-x')).toBeUndefined();
  expect(keyProblem(['a'], '')).toBeUndefined();
});

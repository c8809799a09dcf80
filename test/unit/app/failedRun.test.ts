import { expect, test } from 'vitest';
import { useTranslations } from '../../../src/core/l10n.js';
import { failureReason, waysOn } from '../../../src/app/transcripts/failureReason.js';

const model = { label: 'test-model (kitchen)' };

const failed = (code: string, message = 'It did not work.') =>
  ({ outcome: 'failed', error: { code, message } }) as const;

test.each([
  ['auth', 'http', 'Set API Key…'],
  ['auth', 'vscode', 'Retry'],
  ['notFound', 'http', 'Change Model…'],
  ['quota', 'http', 'Change Model…'],
  ['network', 'http', 'Retry'],
  ['script', 'scripted', 'Retry'],
] as const)('after %s of a model of kind %s comes first: %s', (code, kind, first) => {
  expect(waysOn(failed(code), kind)[0]).toBe(first);
  expect(waysOn(failed(code), kind)).toContain('Retry');
});

test('a reason is said with the address, and with it once', () => {
  const address = 'http://127.0.0.1:8080/v1';
  expect(failureReason(failed('auth', 'Incorrect API key.'), model, address)).toBe(
    'Incorrect API key. (test-model (kitchen), http://127.0.0.1:8080/v1)',
  );
  const reason = 'No connection to 127.0.0.1:8080.';
  expect(failureReason(failed('network', reason), model, address)).toBe(reason);
  expect(failureReason(failed('script', 'The end.'), model, undefined)).toBe('The end.');
  expect(failureReason(failed('auth', 'No key.'), model, undefined, false)).toContain('No key of it is kept');
  expect(failureReason(failed('network', reason), model, address, false)).toBe(reason);
  expect(failureReason({ outcome: 'limited' }, model, address)).toBe('A limit was reached.');
  expect(failureReason({ outcome: 'interrupted' }, model, address)).toBe('The run was interrupted.');
});

test('in another language, what failed stands before the words of the record, which are English', () => {
  useTranslations({ 'The endpoint cannot be reached.': 'Der Endpunkt ist nicht erreichbar.' });
  try {
    expect(failureReason(failed('network', 'No answer from 127.0.0.1.'), model, undefined)).toBe(
      'Der Endpunkt ist nicht erreichbar. No answer from 127.0.0.1.',
    );
    expect(failureReason(failed('auth', 'Incorrect API key.'), model, undefined)).toBe('Incorrect API key.');
    expect(failureReason(failed('constructor', 'Odd.'), model, undefined)).toBe('Odd.');
  } finally {
    useTranslations(undefined);
  }
});

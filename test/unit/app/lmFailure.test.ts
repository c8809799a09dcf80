import { expect, test } from 'vitest';
import { lmFailure } from '../../../src/app/models/lmFailure.js';

/** An error as VS Code's language models throw them. */
function lmError(code: string, message: string, cause?: Error): Error {
  return Object.assign(new Error(message, cause && { cause }), { code });
}

test.each([
  ['consent that was refused', lmError('NoPermissions', 'no'), 'consent', /allow it when VS Code asks/],
  ['a model that blocks', lmError('Blocked', 'monthly'), 'blocked', /quota is used up.* monthly/],
  ['a model that is gone', lmError('NotFound', 'gone'), 'notFound', /Select Model….* gone/],
  [
    'a quota that only the cause tells',
    lmError('Unknown', 'Request failed', new Error('You have exceeded your premium requests')),
    'quota',
    /quota of this model is used up.*Request failed You have exceeded/,
  ],
  ['a history that is too long', new Error('Message exceeds token limit.'), 'contextLength', /token limit/],
  ['anything else', lmError('constructor', 'Oops'), 'model', /^Oops$/],
  ['what is no error', 'just words', 'model', /^just words$/],
])('%s is said in words and not tried again', (_, error, code, words) => {
  const failure = lmFailure(error);
  expect(failure).toMatchObject({ code, retryable: false });
  expect(failure.message).toMatch(words);
});

test.each([
  'Rate limit exceeded',
  'Too Many Requests',
  'Service unavailable',
  'The model timed out: it said',
])("'%s' may pass and is tried again", (words) => {
  expect(lmFailure(new Error(words)).retryable).toBe(true);
});

import { expect, test } from 'vitest';
import {
  problemWithRoot,
  wasNeverSent,
  wordsOf,
  redactToken,
} from '../../../../src/agents/chats/networkFailure.js';

/** An error as Node's fetch throws it: the reason is its cause. */
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
const coded = (message: string, parts: object) => Object.assign(new Error(message), parts);

test.each<[string, unknown, boolean]>([
  ['nobody listens', fetchFailed(coded('connect ECONNREFUSED', { code: 'ECONNREFUSED' })), true],
  ['no such name', fetchFailed(coded('getaddrinfo', { code: 'ENOTFOUND' })), true],
  ['no time to connect', fetchFailed(coded('x', { code: 'ETIMEDOUT', syscall: 'connect' })), true],
  ['no address works', fetchFailed(new AggregateError([coded('x', { code: 'ECONNREFUSED' })])), true],
  ['a certificate of somebody else', fetchFailed(coded('x', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })), true],
  ['inside of a library', coded('failed', { error: coded('x', { code: 'EHOSTUNREACH' }) }), true],
  ['cut in the middle', fetchFailed(coded('other side closed', { code: 'UND_ERR_SOCKET' })), false],
  ['reset', fetchFailed(coded('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })), false],
  ['no answer in time', new Error('timed out'), false],
  ['no error at all', 'oops', false],
])('whether a request was never sent: %s', (_, error, expected) => {
  expect(wasNeverSent(error)).toBe(expected);
});

test('the words of a failure are those of its innermost cause', () => {
  expect(wordsOf(fetchFailed(new Error('other side closed')))).toBe('other side closed');
  expect(wordsOf(fetchFailed(new Error('')))).toBe('fetch failed');
  expect(wordsOf('oops')).toBe('oops');
});

test('a chain of causes that is a ring ends', () => {
  const error = new Error('round');
  error.cause = error;
  expect(wasNeverSent(error)).toBe(false);
  expect(wordsOf(error)).toBe('round');
});

test.each([
  ['https://api.telegram.org', true],
  ['http://localhost:8081', true],
  ['http://127.0.0.1:8081/root', true],
  ['http://[::1]:8081', true],
  ['http://127.0.0.1.example.org', false],
  ['http://api.telegram.org', false],
  ['file:///etc/passwd', false],
  ['api.telegram.org', false],
])('whether %s may be given a token', (root, expected) => {
  expect(problemWithRoot(root) === undefined).toBe(expected);
});

test('a secret is replaced wherever it stands, also in a URL', () => {
  const text = 'https://x/bot4711:AA/b and 4711%3AAA%2Fb';
  expect(redactToken(text, '4711:AA/b')).toBe('https://x/bot… and …');
  expect(redactToken('nothing', '')).toBe('nothing');
});

import { expect, test } from 'vitest';
import { connectorRetryDelay } from '../../../../src/agents/chats/networkFailure.js';

test.each<[string, number, number | undefined, number, number]>([
  ['begins with a second', 1, undefined, 0, 1_000],
  ['doubles', 4, undefined, 0, 8_000],
  ['ends at a minute', 40, undefined, 0, 60_000],
  ['leaves up to half to chance', 1, undefined, 0.5, 750],
  ['is never less than what is asked for', 1, 30_000, 0.9, 30_000],
  ['is never longer than a timer can wait', 1, 1e12, 0, 24 * 60 * 60_000],
])('the wait %s', (_, failures, retryAfterMs, random, expected) => {
  expect(connectorRetryDelay(failures, retryAfterMs, () => random)).toBe(expected);
});

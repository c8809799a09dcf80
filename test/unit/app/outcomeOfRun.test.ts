import { expect, test } from 'vitest';
import { outcomeOfRun } from '../../../src/app/connectors/connectorConversationRunner.js';

test('a run that is done is its answer', () => {
  expect(outcomeOfRun('c', { outcome: 'done', text: '42' })).toEqual({ conversation: 'c', answer: '42' });
});

test('a run that failed says why, not only that; what was said before that is no answer', () => {
  const error = { code: 'limit', message: 'The limit of 3 steps is reached.' } as const;
  const failed = outcomeOfRun('c', { outcome: 'limited', text: 'Let me s', error });
  expect(failed).toEqual({ conversation: 'c', failure: 'The limit of 3 steps is reached.' });
});

test('where nobody knows why, how it ended is said', () => {
  expect(outcomeOfRun('c', { outcome: 'cancelled', text: '' })).toEqual({
    conversation: 'c',
    failure: 'cancelled',
  });
});

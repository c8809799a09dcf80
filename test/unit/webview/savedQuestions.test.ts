import { expect, test } from 'vitest';
import type { KnownQuestions } from '../../../src/page/protocol/question.js';
import type { RequestClient } from '../../../src/page/protocol/requestClient.js';
import { makeActions, type ActionOptions } from '../../../webview/rows/makeActions.js';
import { Store } from '../../../webview/store.js';

const question = { text: 'is:error', rows: 'messages' } as const;
const saved = [
  { name: 'Failures', scope: 'user', question },
  { name: 'Failures', scope: 'workspace', question },
] as const;

/** The questions that the page lists once one was removed, before and after the host has answered. */
async function listedAround(answer: Promise<KnownQuestions>): Promise<readonly KnownQuestions['saved'][]> {
  const store = new Store();
  store.dispatch({ type: 'questions', questions: { saved, recent: [] } });
  const client = { ask: () => answer } as unknown as RequestClient;
  makeActions({ client, store } as unknown as ActionOptions).removeQuestion('Failures', 'user');
  const before = store.state.questions.saved;
  await answer.catch(() => undefined);
  await new Promise(setImmediate);
  return [before, store.state.questions.saved];
}

test('a question that is removed is gone before the host has answered, and there again where it could not be', async () => {
  const rest = saved.slice(1);
  expect(await listedAround(Promise.resolve({ saved: rest, recent: [] }))).toEqual([rest, rest]);
  expect(await listedAround(Promise.reject(new Error('No room.')))).toEqual([rest, saved]);
});

import { expect, test } from 'vitest';
import { mementoQuestions } from '../../../src/app/panel/mementoQuestions.js';
import type { Question } from '../../../src/query/language/question.js';
import { MapMemory } from '../../support/memoryQuestions.js';

const asked = (text: string, rows: Question['rows'] = 'messages'): Question => ({ text, rows });

/** The questions of a person who used an older version, and the memories that they are kept in. */
function book(filters?: unknown) {
  const [user, workspace] = [new MapMemory(), new MapMemory()];
  if (filters !== undefined) void user.update('agentLogbook.savedFilters', filters);
  return { user, workspace, questions: mementoQuestions(user, workspace) };
}

test('questions are saved for a person or for a workspace, and found by windows to come', async () => {
  const { user, workspace, questions } = book();
  await questions.save({ name: 'errors', scope: 'user', question: asked('is:error') });
  await questions.save({ name: 'errors', scope: 'workspace', question: asked('is:error agent:Cookie') });
  await questions.save({ name: 'errors', scope: 'user', question: asked('is:error', 'toolCalls') });
  const texts = (known: typeof questions) =>
    known.known().saved.map(({ scope, question: { text, rows } }) => `${scope} ${rows} ${text}`);
  expect(texts(mementoQuestions(user, workspace))).toEqual([
    'workspace messages is:error agent:Cookie',
    'user toolCalls is:error',
  ]);
  expect(texts(mementoQuestions(user, new MapMemory()))).toEqual(['user toolCalls is:error']);
  await questions.remove('errors', 'workspace');
  expect(texts(questions)).toEqual(['user toolCalls is:error']);
});

test('the history has each question once, the latest first, and no more than fifty', async () => {
  const { questions } = book();
  for (const text of ['one', 'two', '', 'one']) await questions.note(asked(text, 'records'));
  expect(questions.known().recent.map(({ text }) => text)).toEqual(['one', 'two']);
  for (let at = 0; at < 60; at++) await questions.note(asked(`q${at}`));
  expect(questions.known().recent).toHaveLength(50);
  expect(questions.known().recent[0]?.text).toBe('q59');
});

const present = { regex: false, matchCase: false, wholeWord: false, errorsOnly: false };

test.each([
  [{ ...present, text: 'butter' }, 'butter', 'records'],
  [{ ...present, text: 'too small', matchCase: true }, 'text:="too small"', 'records'],
  [{ ...present, text: 'rm', wholeWord: true }, 'word:rm', 'records'],
  [{ ...present, text: 'e.r', regex: true, matchCase: true }, '/e.r/', 'records'],
  [{ ...present, text: '(open', regex: true }, '/(open/', 'records'],
  [
    { ...present, text: '', role: ['tool'], agent: ['Cookie', 'A b'] },
    'agent:(=Cookie OR ="A b") role:tool',
    'messages',
  ],
  [{ ...present, text: '', toolName: ['bash'], errorsOnly: true }, 'tool:=bash is:error', 'messages'],
  // As the first version wrote them, under the names of then.
  [
    {
      text: '',
      regex: false,
      matchCase: false,
      errorsOnly: true,
      roles: ['tool'],
      agents: [],
      tools: ['grep'],
    },
    'tool:=grep role:tool is:error',
    'messages',
  ],
] as const)('a filter that was saved as %j is the question %s', (criteria, text, rows) => {
  const { questions } = book([{ name: 'mine', criteria }, { name: 'broken', criteria: 7 }, null]);
  expect(questions.known().saved).toEqual([{ name: 'mine', scope: 'user', question: { text, rows } }]);
});

test('filters of older versions stay when a question is saved, changed or removed', async () => {
  const filters = ['a', 'b'].map((name) => ({ name, criteria: { ...present, text: name } }));
  const { user, workspace, questions } = book(filters);
  await questions.save({ name: 'b', scope: 'user', question: asked('other') });
  const names = () =>
    mementoQuestions(user, workspace)
      .known()
      .saved.map(({ name, question: { text } }) => `${name} ${text}`);
  expect(names()).toEqual(['a a', 'b other']);
  await questions.remove('a', 'user');
  expect(names()).toEqual(['b other']);
});

test('a hundred questions may be saved in each place', async () => {
  const { questions } = book();
  for (let at = 0; at < 100; at++)
    await questions.save({ name: `q${at}`, scope: 'user', question: asked('x') });
  await expect(questions.save({ name: 'more', scope: 'user', question: asked('x') })).rejects.toThrow(
    'remove one first',
  );
  await questions.save({ name: 'more', scope: 'workspace', question: asked('x') });
});

import { afterEach, beforeAll, expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { guardedPatterns } from '../../../src/node/patterns/guardedPatterns.js';
import { PatternThread } from '../../../src/node/patterns/patternThread.js';
import type { PatternMatcher, PatternQuestion } from '../../../src/core/ports/patternMatcher.js';
import { PATTERN_TOO_SLOW } from '../../../src/core/ports/patternMatcher.js';
import { buildWorker } from '../../support/buildWorker.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('node/patterns/patterns.worker.ts');
});

const threads: PatternThread[] = [];
afterEach(() => threads.splice(0).forEach((thread) => thread.dispose()));
function aThread(): PatternThread {
  const thread = new PatternThread(script);
  threads.push(thread);
  return thread;
}

const LONG_MS = 30_000;
const question = (pattern: string, text: string, rest: Partial<PatternQuestion> = {}): PatternQuestion => ({
  pattern,
  text,
  syntax: 'ecmascript',
  ignoreCase: false,
  find: 'all',
  limit: 100,
  ...rest,
});
const endless = question('^(a+)+$', `${'a'.repeat(40)}!`);

/** What is found of a question, by the thread and on the spot, which must agree. */
async function found(asked: PatternQuestion): Promise<string[] | string> {
  const texts = await Promise.all(
    [aThread(), guardedPatterns].map(async (matcher: PatternMatcher) => {
      const answer = await matcher.find(asked, { maxMs: LONG_MS });
      return answer.ok ? answer.matches.map(({ start, end }) => asked.text.slice(start, end)) : answer.why;
    }),
  );
  expect(texts[0]).toEqual(texts[1]);
  return texts[0] ?? [];
}

test.each<[string, PatternQuestion, string[] | string]>([
  ['every match', question('h.llo', 'Hello hallo hello'), ['hallo', 'hello']],
  ['in any case', question('h.llo', 'Hello hallo', { ignoreCase: true }), ['Hello', 'hallo']],
  ['as many as are wanted', question('.', 'abc', { limit: 2 }), ['a', 'b']],
  ['no empty match', question('x*', 'axxb'), ['xx']],
  ['the first match of each line', question('a+', 'aa a\nb\na', { find: 'lines' }), ['aa', 'a']],
  ['lines by their ends', question('^a$', 'a\nba\na', { find: 'lines' }), ['a', 'a']],
  ['in linear time', question('^(a+)+$', `${'a'.repeat(40)}!`, { syntax: 're2' }), []],
  ['a text as it is', question('(a.', 'x(a.y(ab', { syntax: 'text' }), ['(a.']],
  ['nothing for what is no pattern', question('(', 'a'), 'invalid'],
  ['nothing for what RE2 does not know', question('(?=a)', 'a', { syntax: 're2' }), 'invalid'],
])('finds %s', async (_, asked, expected) => {
  expect(await found(asked)).toEqual(expected);
});

test.each([
  ['a thread', () => aThread()],
  ['the guard', () => guardedPatterns],
])('%s gives up a pattern that does not end, and goes on with the next', async (_, make) => {
  const matcher = make();
  const slow = matcher.find(endless, { maxMs: 60 });
  const next = matcher.find(question('b', 'abc'), { maxMs: LONG_MS });
  expect(await slow).toEqual({ ok: false, why: 'tooSlow', message: PATTERN_TOO_SLOW });
  expect(await next).toEqual({ ok: true, matches: [{ start: 1, end: 2 }] });
});

test('whoever asks a thread is free meanwhile', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  await aThread().find(endless, { maxMs: 300 });
  clearInterval(counting);
  expect(turns).toBeGreaterThan(3);
});

test('a question that nobody wants any more ends at once', async () => {
  const thread = aThread();
  const controller = new AbortController();
  const asked = thread.find(endless, { maxMs: LONG_MS, signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  expect(await asked).toMatchObject({ ok: false, why: 'cancelled' });
  expect(await thread.find(endless, { maxMs: LONG_MS, signal: controller.signal })).toMatchObject({
    why: 'cancelled',
  });
});

test('a thread that cannot start says so', async () => {
  const thread = new PatternThread(new URL('./nowhere.js', import.meta.url));
  expect(await thread.find(question('a', 'a'), { maxMs: LONG_MS })).toMatchObject({
    ok: false,
    why: 'broken',
  });
});

test('a query bounds its patterns where it is told to', () => {
  const items = [
    { role: 'user', content: endless.text },
    { role: 'user', content: 'aa' },
  ];
  const query = new MessageQuery(items, { maxPatternMs: 60 });
  expect(() => query.filter({ content: endless.pattern, regex: true })).toThrow(PATTERN_TOO_SLOW);
  expect(query.filter({ content: '^a+$', regex: true })).toEqual([items[1]]);
  expect(query.filter({ content: 'AA' })).toHaveLength(2);
});

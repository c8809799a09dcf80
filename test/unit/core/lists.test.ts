import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../src/core/message.js';
import { appendAll, greatestOf, smallestOf } from '../../../src/core/lists.js';
import { EXPORT_FORMATS } from '../../../src/export/exportFormat.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { parseEndpoints } from '../../../src/agents/models/endpoints.js';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import { HistoryGuard } from '../../../src/agents/loop/history/repairHistory.js';
import { externalToolRisk } from '../../../src/agents/tools/externalToolRisk.js';
import { judgeCommand } from '../../../src/agents/tools/command/decide.js';

/** More than fit on the stack as the arguments of one call, which are about 120,000. */
const MANY = 200_000;
const many = <T>(one: T): T[] => new Array<T>(MANY).fill(one);

test('lists are appended whole, and extremes found among none, one and very many', () => {
  const list = [1];
  appendAll(list, many(2));
  expect([list.length, list[0], list.at(-1)]).toEqual([MANY + 1, 1, 2]);
  expect([greatestOf([], 3), greatestOf([5, 4], 3), greatestOf(many(2), 3)]).toEqual([3, 5, 3]);
  expect([smallestOf([], 3), smallestOf([5, 1], 3), smallestOf(many(2), 3)]).toEqual([3, 1, 2]);
});

describe('what comes from outside may have more parts than the stack has room for', () => {
  test.each(EXPORT_FORMATS)('an export as %s', (format) => {
    const content = many({ type: 'text', text: 'part' });
    const made = exportMessages([{ role: 'user', content }], format, { maxContentLength: Infinity });
    const text = typeof made === 'string' ? made : JSON.stringify(made);
    expect(text.split('part').length - 1).toBeGreaterThanOrEqual(MANY);
  });

  test('the text of a timeline', () => {
    const tool_calls = many({ id: 'a', type: 'function', function: { name: 'ls', arguments: '{}' } });
    const turns = new MessageQuestions([{ role: 'assistant', content: null, tool_calls }]).timeline();
    expect(String(turns).split('\n').length).toBeGreaterThan(MANY);
  });

  test('a history that needs a repair', () => {
    const history: ChatMessage[] = [
      { role: 'tool', tool_call_id: 'none', content: 'answers nothing' },
      ...many<ChatMessage>({ role: 'user', content: 'a' }),
    ];
    expect(new HistoryGuard().repair(history)).toBeGreaterThan(0);
    expect(history.length).toBeGreaterThanOrEqual(MANY);
  });

  test('arguments of a tool, words of a command, settings', () => {
    const args = { list: many('a'), map: Object.fromEntries(many(0).map((_, at) => [`k${at}`, 1])) };
    expect(externalToolRisk('weigh', args, ['/work/a'])).toMatchObject({
      reason: expect.stringMatching(/too many/) as string,
    });
    expect(() => judgeCommand(`ls -- ${'a '.repeat(MANY)}`)).not.toThrow();
    const problems = parseEndpoints([
      { name: '', headers: Object.fromEntries(many(0).map((_, at) => [`h${at}`, 1])) },
    ]);
    expect(problems.problems.length).toBeGreaterThan(0);
  });
});

import { describe, expect, test } from 'vitest';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, records, said } from './reading.js';

const messages = (result: ImportResult) =>
  records(result).flatMap((record) => (record.type === 'message' ? [record.message] : []));

/** Reads one JSON value; nothing of it may be left over. */
async function read(value: unknown) {
  const result = await importTranscript(JSON.stringify(value), 'talk.json');
  expect([result.format, result.problems]).toEqual(['any-messages', []]);
  return result;
}

describe('calls that data sets write as texts', () => {
  const asking = { from: 'human', value: 'where are the cats?' };

  test('are calls where a text is nothing but a list of them as Python writes it', async () => {
    const result = await read({
      conversations: [
        asking,
        {
          from: 'gpt',
          value: `[Cat Finder(where="roof \\"A\\"", n=2, all=True, at=[1, {'x': None}]), stop()]`,
        },
        { from: 'tool', value: '[{"name": "Cat Finder", "results": {"n": 2}}]' },
        { from: 'gpt', value: 'Two of them.' },
      ],
    });
    expect(said(result).slice(1, 3)).toEqual([
      'assistant: null Cat Finder({"where":"roof \\"A\\"","n":2,"all":true,"at":[1,{"x":null}]}) stop({})',
      'tool call 1: [{"name": "Cat Finder", "results": {"n": 2}}]',
    ]);
  });

  test.each([
    '[see(a)]',
    '[stop()]',
    '[find(x=1)] and more',
    'so: [find(x=1)]',
    '[find(x=1)',
    '[find(x=one)]',
    '[link](http://a.example)',
    '[]',
    `[f(${'x=['.repeat(30)}`,
  ])('are words where they are anything else: %s', async (value) => {
    const result = await read({ conversations: [asking, { from: 'gpt', value }] });
    expect(said(result)[1]).toBe(`assistant: ${value}`);
  });

  test('have results without the tags around them, each of several for itself', async () => {
    const tag = (name: string, json: object) => `<${name}>\n${JSON.stringify(json)}\n</${name}>`;
    const result = await read({
      conversations: [
        asking,
        {
          from: 'gpt',
          value: ['roof', 'bed']
            .map((where) => tag('tool_call', { name: `look_${where}`, arguments: { where } }))
            .join('\n'),
        },
        {
          from: 'tool',
          value: `${tag('tool_response', { n: 2 })}\n${tag('tool_response', { name: 'look_bed', content: 'none' })}`,
        },
      ],
    });
    expect(said(result).slice(1)).toEqual([
      'assistant: null look_roof({"where":"roof"}) look_bed({"where":"bed"})',
      'tool call 1: {"n":2}',
      'tool call 2: none',
    ]);
  });

  const tag = (name: string, json: object) => `<${name}>\n${JSON.stringify(json)}\n</${name}>`;
  const talk = (answering: 'tool' | 'user') => [
    { role: 'user', content: 'where are the cats?' },
    {
      role: 'assistant',
      content: `<think>two places</think>\nI look.\n${tag('tool_call', { name: 'look', arguments: { at: 'roof' } })}\n${tag('tool_call', { name: 'count', arguments: {} })}`,
    },
    {
      role: answering,
      content: `${tag('tool_response', { name: 'count', content: 2 })}\n${tag('tool_response', { name: 'look', content: { seen: 'two' } })}`,
    },
    { role: 'assistant', content: tag('tool_call', { name: 'stop', arguments: { now: true } }) },
    { role: 'tool', content: 'stopped' },
    { role: 'assistant', content: 'Two of them.' },
  ];

  test.each([
    ['as one list', 'tool', (messages: object[]) => JSON.stringify({ messages })],
    ['one a line', 'tool', (messages: object[]) => lines(...messages)],
    ['with results in the place of a person', 'user', (messages: object[]) => JSON.stringify(messages)],
  ] as const)('are calls in messages of chat completions too, %s', async (_, answering, written) => {
    const result = await importTranscript(written(talk(answering)), 'talk.json');
    expect([result.format, result.problems]).toEqual(['chat-messages', []]);
    expect(said(result)).toEqual([
      'user: where are the cats?',
      'assistant: I look. look({"at":"roof"}) count({})',
      'tool call 2: 2',
      'tool call 1: {"seen":"two"}',
      'assistant: null stop({"now":true})',
      'tool call 3: stopped',
      'assistant: Two of them.',
    ]);
    const [, answer] = messages(result);
    expect(answer).toMatchObject({ reasoning_content: 'two places' });
  });

  test('are words where a person says them, and where no call stands before a result', async () => {
    const chat = [
      { role: 'user', content: `Write ${tag('tool_call', { name: 'look', arguments: {} })}` },
      { role: 'assistant', content: 'It is <tool_call>nothing</tool_call>.' },
      { role: 'user', content: tag('tool_response', { name: 'look', content: 'none' }) },
    ];
    const result = await importTranscript(JSON.stringify(chat), 'talk.json');
    expect(messages(result)).toEqual(chat);
  });
});

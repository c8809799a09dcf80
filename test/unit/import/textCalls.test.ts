import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { said } from './reading.js';

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
});

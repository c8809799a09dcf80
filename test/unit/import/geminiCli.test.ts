import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records, said } from './reading.js';

describe('Gemini CLI', () => {
  const header = { sessionId: 'g1', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' };
  const answer = {
    id: 'a',
    type: 'gemini',
    content: 'ok',
    model: 'gemini-3',
    thoughts: [{ subject: 'Plan', description: 'look' }],
    tokens: { input: 10, output: 2, cached: 3, thoughts: 4, tool: 1 },
    toolCalls: [
      {
        id: 't1',
        name: 'ls',
        args: { a: 1 },
        status: 'error',
        result: [{ functionResponse: { response: { error: 'no' } } }],
      },
      { id: 't2', name: 'cat', args: {}, resultDisplay: 'text' },
      { id: 't3', name: 'open' },
    ],
  };

  test('one object', async () => {
    const result = await expectSaid(
      [
        {
          ...header,
          messages: [
            { id: 'u', type: 'user', content: [{ text: 'hi' }, { inlineData: {} }] },
            answer,
            { type: 'info', content: 'x' },
            { type: 'brand-new' },
          ],
        },
      ],
      'gemini-cli',
      [
        'user: [{"type":"text","text":"hi"},{"type":"part","inlineData":{}}]',
        'assistant: ok ls({"a":1}) cat({}) open({})',
        'tool t1: no',
        'tool t2: text',
      ],
      ['Kept without being understood: messages of type brand-new (once).'],
    );
    expect(query(result).stats().usage).toEqual({
      inputTokens: 11,
      outputTokens: 6,
      cachedInputTokens: 3,
      reasoningTokens: 4,
      estimated: false,
    });
    expect(query(result).toolSummary()[0]).toMatchObject({ calls: [{ isError: true }] });
  });

  test('what is sent back to the model is no second result, and one that no call tells is a result', async () => {
    const sent = (id: string, output: string) => ({
      id: `sent ${id}`,
      type: 'user',
      content: [{ functionResponse: { id, name: 'ls', response: { output } } }],
    });
    const call = {
      id: 't1',
      name: 'ls',
      args: {},
      result: [{ functionResponse: { response: { output: 'a' } } }],
    };
    await expectSaid(
      [
        header,
        { id: 'u', type: 'user', content: 'hi' },
        { id: 'a', type: 'gemini', content: '', toolCalls: [call, { id: 't2', name: 'ls', args: {} }] },
        sent('t1', 'a'),
        sent('t2', 'b'),
        { id: 'b', type: 'gemini', content: 'ok', thoughts: [{ subject: '', description: 'Done.' }] },
      ],
      'gemini-cli',
      ['user: hi', 'assistant:  ls({}) ls({})', 'tool t1: a', 'tool t2: b', 'assistant: ok'],
    );
  });

  test('lines, where a later line changes a message', async () => {
    await expectSaid(
      [
        header,
        { id: 'u', type: 'user', content: 'hi' },
        { id: 'a', type: 'gemini', content: 'o' },
        { $set: { x: 1 } },
        { id: 'a', type: 'gemini', content: 'ok' },
      ],
      'gemini-cli',
      ['user: hi', 'assistant: ok'],
    );
  });
});

test("the agent of Gemini CLI's stream is called as in its sessions", async () => {
  const result = await importTranscript(
    lines(
      { type: 'init', session_id: 's', model: 'gemini-3-pro' },
      { type: 'message', role: 'user', content: 'where are the cats?' },
      { type: 'message', role: 'assistant', content: 'On the ', delta: true },
      { type: 'message', role: 'assistant', content: 'roof.', delta: true },
    ),
    's.jsonl',
  );
  expect(said(result)).toEqual(['user: where are the cats?', 'assistant: On the roof.']);
  expect(new Set(records(result).map(({ agent }) => agent))).toEqual(new Set(['Gemini']));
});

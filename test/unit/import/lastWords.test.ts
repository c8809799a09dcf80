import { describe, expect, test } from 'vitest';
import { LAST_WORDS, piecesIn } from '../../../src/import/general/answerPieces.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { said } from './reading.js';

const asked = (exchange: string, content: string) => ({
  exchange,
  url: 'http://127.0.0.1/v1/chat/completions',
  startTime: '2026-11-28T10:00:00.000Z',
  request: { model: 'm', messages: [{ role: 'user', content }] },
  response: null,
});
const answer = (exchange: string, content: string | null) => ({
  exchange,
  status: 200,
  endTime: '2026-11-28T10:00:05.000Z',
  response:
    content === null
      ? null
      : { object: 'chat.completion', choices: [{ message: { role: 'assistant', content } }] },
});
const piece = (exchange: string, told: object) => ({ exchange, piece: told });
const read = (lines: readonly object[]) =>
  importTranscript(lines.map((line) => JSON.stringify(line)).join('\n'), 'a.exchanges.jsonl');

describe('an answer of which pieces are recorded', () => {
  test('is its last words where it never ended, said to be incomplete', async () => {
    const result = await read([
      asked('1', 'Why?'),
      piece('1', { reasoning: 'Hm. ' }),
      piece('1', { text: 'Because ' }),
      piece('1', { text: 'of the' }),
      piece('1', { toolCall: { index: 0, id: 'c1', name: 'read', arguments: '{"pa' } }),
    ]);
    expect(said(result)).toEqual(['user: Why?', 'assistant: Because of the read({"pa)']);
    const records = result.conversations.flatMap((each) => [...each.records]);
    expect(records.at(-1)).toMatchObject({ type: 'message', partial: 'error' });
    expect(records.find(({ type }) => type === 'request')).toMatchObject({ error: { message: LAST_WORDS } });
    expect(JSON.stringify(records).split('Because of the')).toHaveLength(2);
  });

  test('is what it said in the end, once', async () => {
    const result = await read([
      asked('1', 'Why?'),
      piece('1', { text: 'Because ' }),
      asked('2', 'When?'),
      piece('1', { text: 'of that' }),
      answer('1', 'Because of that.'),
      piece('2', { text: 'Now' }),
    ]);
    const texts = result.conversations.map(({ records }) => JSON.stringify([...records]));
    expect(texts.join().split('Because of that')).toHaveLength(2);
    expect(texts.join()).not.toContain('Because "');
    expect(said(result)).toEqual([
      'user: Why?',
      'assistant: Because of that.',
      'user: When?',
      'assistant: Now',
    ]);
    expect(texts.join().split('"Now"')).toHaveLength(2);
    expect(result.problems).toEqual([]);
  });

  test('is what came of it where more came than is kept', async () => {
    const result = await read([asked('1', 'Why?'), piece('1', { text: 'Much' }), answer('1', null)]);
    expect(said(result)).toEqual(['user: Why?', 'assistant: Much']);
  });

  test('and its request was torn off is kept as it is', async () => {
    const result = await read([asked('1', 'Why?'), answer('1', 'So.'), piece('7', { text: 'Lost words' })]);
    expect(JSON.stringify(result.conversations.map(({ records }) => [...records]))).toContain('Lost words');
  });
});

test.each([
  [
    { object: 'chat.completion.chunk', choices: [{ delta: { content: 'a', reasoning_content: 'b' } }] },
    [{ reasoning: 'b' }, { text: 'a' }],
  ],
  [
    {
      choices: [{ delta: { tool_calls: [{ index: 1, id: 'c', function: { name: 'f', arguments: '{' } }] } }],
    },
    [{ toolCall: { index: 1, id: 'c', name: 'f', arguments: '{' } }],
  ],
  [{ choices: [{ text: 'a' }] }, [{ text: 'a' }]],
  [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } }, [{ text: 'a' }]],
  [
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'a' } },
    [{ reasoning: 'a' }],
  ],
  [
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    },
    [{ toolCall: { index: 2, id: 't', name: 'f' } }],
  ],
  [
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a' } },
    [{ toolCall: { index: 2, arguments: '{"a' } }],
  ],
  [{ type: 'response.output_text.delta', output_index: 0, delta: 'a' }, [{ text: 'a' }]],
  [{ type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'a' }, [{ reasoning: 'a' }]],
  [
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', call_id: 'c', name: 'f' },
    },
    [{ toolCall: { index: 1, id: 'c', name: 'f' } }],
  ],
  [
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{' },
    [{ toolCall: { index: 1, arguments: '{' } }],
  ],
  [{ type: 'response.completed', response: { output: [] } }, []],
  [
    { candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b', thought: true }] } }] },
    [{ text: 'a' }, { reasoning: 'b' }],
  ],
  [
    { model: 'm', done: false, message: { role: 'assistant', content: 'a', thinking: 'b' } },
    [{ reasoning: 'b' }, { text: 'a' }],
  ],
  [{ model: 'm', done: false, response: 'a' }, [{ text: 'a' }]],
])('an event of a stream: %j', (event, pieces) => {
  expect(piecesIn(event)).toEqual(pieces);
});

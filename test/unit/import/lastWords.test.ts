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

const EVENTS = {
  'chat completions': [
    { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Bread is ' } }] },
    { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'flour' } }] },
  ],
  "Anthropic's": [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Bread is ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'flour' } },
  ],
  'the Responses API': [
    { type: 'response.created', response: { id: 'r', object: 'response', output: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Bread is ' },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'flour' },
  ],
  "Gemini's": [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Bread is ' }] } }] },
    { candidates: [{ content: { role: 'model', parts: [{ text: 'flour' }] } }] },
  ],
};

describe('a recording that ends within an event has the beginning of what was said, marked as cut', () => {
  const cutOff = 'ur and water';
  const streamOf = (events: readonly object[]) =>
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const cut = (text: string) => text.replaceAll('flour', `flo${cutOff}`).split(cutOff)[0] ?? '';
  const wordsIn = (result: Awaited<ReturnType<typeof importTranscript>>) =>
    said(result)
      .map((each) => each.replace(/\[\{"type":"text","text":"(.*)"\}\]/, '$1'))
      .at(-1);

  test.each(Object.entries(EVENTS))('in a stream of %s, as the answer of a request', async (_api, events) => {
    const response = cut(streamOf(events));
    const about = { exchange: '1', status: 200, endTime: '2026-11-28T10:00:05.000Z' };
    const result = await read([asked('1', 'Why?'), { ...about, response }]);
    expect(said(result)).toHaveLength(2);
    expect(wordsIn(result)).toBe('assistant: Bread is flo');
    const records = result.conversations.flatMap((each) => [...each.records]);
    expect(records.at(-1)).toMatchObject({ type: 'message', partial: 'error' });
    expect(records.find(({ type }) => type === 'request')).toMatchObject({
      error: { message: 'The stream breaks off in the middle of what was being said.' },
    });
    expect(result.problems).toEqual([]);
  });

  test.each(Object.entries(EVENTS))('in a file that is a stream of %s', async (_api, events) => {
    const result = await importTranscript(cut(streamOf(events)), 'a.sse');
    expect(wordsIn(result)).toBe('assistant: Bread is flo');
    expect(result.problems.map(({ message }) => message)).toEqual([
      'The stream breaks off in the middle of what was being said; what stands before was read.',
    ]);
  });

  test('also where the only event is cut, of one word, and where it calls a tool', async () => {
    const only = (delta: object) =>
      streamOf([{ object: 'chat.completion.chunk', choices: [{ index: 0, delta }] }]);
    const request = { model: 'm', messages: [{ role: 'user', content: 'Why?' }] };
    const readOne = (response: string) => importTranscript(JSON.stringify({ request, response }), 'a.json');
    expect(wordsIn(await readOne(cut(only({ content: 'flour' }))))).toBe('assistant: flo');
    const calls = [{ index: 0, id: 'c', function: { name: 'read', arguments: '{"path":"flour' } }];
    expect(wordsIn(await readOne(cut(only({ tool_calls: calls }))))).toBe(
      'assistant: null read({"path":"flo)',
    );
  });

  test('in a stream of Ollama, whose events are lines', async () => {
    const piece = (content: string) => ({ model: 'm', message: { role: 'assistant', content }, done: false });
    const response = cut([piece('Bread is '), piece('flour')].map((each) => JSON.stringify(each)).join('\n'));
    const request = { model: 'm', messages: [{ role: 'user', content: 'Why?' }] };
    const result = await importTranscript(JSON.stringify({ request, response }), 'a.json');
    expect(wordsIn(result)).toBe('assistant: Bread is flo');
  });

  test('where it ends before an event says anything, nothing is made of its beginning', async () => {
    const start = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'thinking', thinking: '' },
    };
    const stream = streamOf([...EVENTS["Anthropic's"], start]);
    const request = { model: 'm', messages: [{ role: 'user', content: 'Why?' }] };
    for (const end of ['"index"', '"content_block"', '"type":"thinking"', 'hinking"']) {
      const response = stream.slice(0, stream.lastIndexOf(end) + end.length + 1);
      const result = await importTranscript(JSON.stringify({ request, response }), 'a.json');
      expect(wordsIn(result), end).toBe('assistant: Bread is flour');
      const records = result.conversations.flatMap((each) => [...each.records]);
      expect(records.findLast(({ type }) => type === 'message')).toMatchObject({ partial: 'error' });
    }
    for (const end of ['event: mess\nda', 'event: message_start\nd']) {
      const result = await importTranscript(JSON.stringify({ request, response: end }), 'a.json');
      expect(said(result), end).not.toContain(`assistant: ${end}`);
    }
  });

  test.each(['flo', 'flour', 'flour"'])('in a single JSON value, as in …%s', async (end) => {
    const request = { model: 'm', messages: [{ role: 'user', content: 'Why?' }] };
    const readTo = async (value: unknown) => {
      const text = JSON.stringify(value);
      const response = text.slice(0, text.indexOf('flour') + end.length);
      return importTranscript(JSON.stringify({ request, response }), 'a.json');
    };
    const words = `Bread is ${end.replace(/".*/, '')}`;
    const message = { role: 'assistant', content: 'Bread is flour' };
    for (const value of [
      EVENTS["Gemini's"],
      { model: 'm', message, done: false },
      { choices: [{ message }] },
    ]) {
      const result = await readTo(value);
      expect(said(result).join().replaceAll('Bread isf', 'Bread is f')).toContain(words);
      expect(said(result).join()).not.toMatch(/candidates|"model"|choices/);
      const records = result.conversations.flatMap((each) => [...each.records]);
      expect(records.findLast(({ type }) => type === 'message')).toMatchObject({ partial: 'error' });
      expect(result.problems).toEqual([]);
    }
    // What a model said that was asked for JSON stays as it said it.
    expect(said(await readTo({ answer: 'Bread is flour', n: [1] })).at(-1)).toContain(
      '{"answer":"Bread is flo',
    );
  });

  test('in a character of several bytes, nothing stands for that', async () => {
    const bytes = Buffer.from(
      streamOf([{ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Käse' } }] }]),
    );
    const result = await importTranscript(bytes.subarray(0, bytes.indexOf('ä') + 1), 'a.sse');
    expect(wordsIn(result)).toBe('assistant: K');
  });

  test.each([
    ['a piece', [piece('1', { text: 'Bread is ' }), piece('1', { text: 'flour' })]],
    ['an answer', [{ ...answer('1', ''), response: streamOf(EVENTS['chat completions']) }]],
  ])('where the recorder was killed while it wrote %s', async (_what, parts) => {
    const lines = [asked('1', 'Why?'), ...parts].map((line) => JSON.stringify(line)).join('\n');
    const result = await importTranscript(cut(lines), 'a.exchanges.jsonl');
    expect(wordsIn(result)).toBe('assistant: Bread is flo');
    expect(result.problems.map(({ message }) => message)).toEqual(['The last line is cut.']);
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

import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { restOf } from '../../../src/import/rest/addingRests.js';
import { lines, query, said } from './reading.js';

const read = async (...values: unknown[]) => importTranscript(lines(...values), 'talk.jsonl');

describe('the parts of one message are said in their order', () => {
  test('of the AI SDK, whose calls have their results in them', async () => {
    const call = (id: string, city: string, output: unknown) => ({
      type: 'tool-getWeather',
      toolCallId: id,
      state: 'output-available',
      input: { city },
      output,
    });
    const result = await read([
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'How is it in Rome and Bonn?' }] },
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'I look.' },
          call('c1', 'Rome', 'blue'),
          call('c2', 'Bonn', 'grey'),
          { type: 'step-start' },
          { type: 'text', text: 'Rome is blue.' },
        ],
      },
    ]);
    expect(said(result)).toEqual([
      'user: How is it in Rome and Bonn?',
      'assistant: I look. getWeather({"city":"Rome"}) getWeather({"city":"Bonn"})',
      'tool c1: blue',
      'tool c2: grey',
      'assistant: Rome is blue.',
    ]);
  });

  test('of Gemini, whose provider runs code again and again', async () => {
    const run = (at: number) => [
      { executableCode: { language: 'PYTHON', code: `print(${at})` } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: `printed ${at}` } },
      { text: `That was run ${at}.` },
    ];
    const result = await read({
      candidates: [{ content: { role: 'model', parts: [1, 2, 3].flatMap(run) } }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7 },
    });
    const words = said(result).map((line) => /printed \d|That was run \d/.exec(line)?.[0]);
    expect(words.filter((each) => each !== undefined)).toEqual(
      [1, 2, 3].flatMap((at) => [`printed ${at}`, `That was run ${at}`]),
    );
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
  });

  test('of the conventions of OpenTelemetry, with the names of a library in them', async () => {
    const parts = [
      { type: 'text', content: 'I look.' },
      { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: { place: 'Paris' } },
      { type: 'tool_result', toolCallId: 'c1', output: { temp: 72 } },
      { type: 'text', content: 'It is 72.' },
    ];
    const result = await read({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'chat gpt-5',
      startTimeUnixNano: '1788256800000000000',
      endTimeUnixNano: '1788256801000000000',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
      },
    });
    expect(said(result)).toEqual([
      'assistant: I look. get_weather({"place":"Paris"})',
      'tool c1: {"temp":72}',
      'assistant: It is 72.',
    ]);
  });
});

test('a list of lines beside a message is kept whole, or not at all', () => {
  const [shared, own] = ['a line that stands in the message too', 'a line of its own'];
  const standing = { hasText: (text: string) => text === shared };
  expect(restOf({ hunk: { lines: [shared, own] } }, standing)).toEqual({ hunk: { lines: [shared, own] } });
  expect(restOf({ hunk: { lines: [shared, shared] } }, standing)).toBeUndefined();
  expect(restOf([[shared], [own]], standing)).toEqual([[shared], [own]]);
  expect(restOf([{ said: shared, id: 1 }, { said: shared }], standing)).toEqual([{ id: 1 }]);
});

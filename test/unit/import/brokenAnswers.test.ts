import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, said } from './reading.js';
import { ofType } from './spans.js';

const sse = (...events: readonly object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object) => ({ object: 'chat.completion.chunk', choices: [{ index: 0, delta }] });
const created = { type: 'response.created', response: { id: 'r', object: 'response', output: [] } };
const start = { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } };

/** What is read of a question and this answer, as the proxy records them. */
async function recorded(response: unknown, more: object = {}) {
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const begins = { exchange: '1', startTime: '2026-01-01T00:00:00Z', request, response: null };
  const ends = { exchange: '1', status: 200, endTime: '2026-01-01T00:00:01Z', ...more, response };
  const result = await importTranscript(lines(begins, ends), 'a.exchanges.jsonl');
  const [asked] = ofType(result, 'request') as readonly { error?: { message: string } }[];
  const problems = result.problems.map(({ message }) => message);
  const messages = JSON.stringify(ofType(result, 'message'));
  return { answered: said(result).slice(1), failed: asked?.error?.message, problems, messages };
}

test('an answer that broke off says so, as far as it came', async () => {
  const failure = 'The answer ended in the middle.';
  expect(await recorded(sse(chunk({ content: 'Half' })), { failure })).toMatchObject({
    answered: ['assistant: Half'],
    failed: failure,
  });
});

test('what was left out is told', async () => {
  const { problems } = await recorded(null, { leftOut: 'answer: 40 bytes are more than is kept.' });
  expect(problems).toEqual(['Exchange 1 was not recorded whole. answer: 40 bytes are more than is kept.']);
});

test.each([
  ['Anthropic', sse(start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })],
  ['Anthropic, at once', sse({ type: 'error', error: { message: 'Overloaded' } })],
  ['Responses', sse(created, { type: 'error', code: 'rate', message: 'Overloaded' })],
  ['Chat', sse(chunk({}), { error: { message: 'Overloaded', code: 502 } })],
])('an error within a stream is that of the request: %s', async (_, stream) => {
  expect((await recorded(stream)).failed).toBe('Overloaded');
});

test.each([
  ['<h1>502 Bad Gateway</h1>', 502],
  ['Unauthorized', 401],
  [': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n', 200],
])('what no model says is an error: %j with %j', async (text, status) => {
  const { answered, failed } = await recorded(text, { status });
  expect(answered).toEqual([]);
  expect(failed).toContain(text.trim());
});

test('a text with a good status is an answer', async () => {
  expect(await recorded('Hello.')).toMatchObject({ answered: ['assistant: Hello.'], failed: undefined });
});

test.each([
  ['a refusal', { type: 'response.refusal.delta', output_index: 0, delta: 'I cannot' }],
  ['thoughts', { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'I cannot' }],
  ['input of a tool', { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'I cannot' }],
])('a stream that was cut has what had come: %s', async (_, event) => {
  const { messages } = await recorded(sse(created, event, { ...event, delta: ' do it' }));
  expect(messages).toContain('I cannot do it');
});

test('the pieces of a function call add up', async () => {
  const call = (function_call: object) => chunk({ function_call });
  const stream = sse(call({ name: 'weigh', arguments: '{"a":' }), call({ arguments: '1}' }));
  const { messages } = await recorded(stream);
  expect(messages).toContain('"function_call":{"name":"weigh","arguments":"{\\"a\\":1}"}');
});

test('a mark of the byte order in front loses nothing', async () => {
  const stream = sse(chunk({ content: 'First' }), chunk({ content: ' second' }));
  expect((await recorded(`\uFEFF${stream}`)).answered).toEqual(['assistant: First second']);
});

test.each([
  [
    'server-sent events',
    (deep: string) => `${sse(chunk({ content: 'Good day' }))}data: ${deep}\n\ndata: [DONE]\n\n`,
  ],
  [
    'lines of Ollama',
    (deep: string) =>
      `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'Good day' }, done: false })}\n${deep}\n`,
  ],
])('what nests too deep in %s takes nothing else with it', async (_, written) => {
  const { answered } = await recorded(written(`{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`));
  expect(answered[0]).toBe('assistant: Good day');
});

import { expect, test } from 'vitest';
import { hearing } from '../../../support/modelAt.js';
import { chunk, DONE, sse, type WireAnswer } from '../../../support/wireAnswers.js';

const CUT = 'The answer broke off before its end.';
const CALL = {
  index: 0,
  id: 'a',
  type: 'function',
  function: { name: 'run_command', arguments: '{"command":"x"}' },
};
const calls = sse(chunk({ tool_calls: [CALL] }));
const says = (content: string) => sse(chunk({ content }));

test.each<[string, string]>([
  ['in a text', says('The stream ends with [DONE]')],
  ['in a text that is all it says', says('[DONE]')],
  [
    'in the arguments of a call',
    sse(chunk({ tool_calls: [{ ...CALL, function: { name: 'echo', arguments: '{"text":"[DONE]"}' } }] })),
  ],
  ['in a comment', ': [DONE]\n\n'],
  ['as the name of an event', 'event: [DONE]\n\n'],
  ['in a field that nobody knows', 'done: [DONE]\n\n'],
  ['as a part of the data of an event', 'data: [DONE]\ndata: {}\n\n'],
])('a call is not finished by an end that stands %s', async (_, last) => {
  const { error, finish } = await hearing({ pieces: [calls, last] });
  expect(finish).toBeUndefined();
  expect(error).toMatchObject({ retryable: true });
});

test.each([
  ['a word', '[DONE'],
  ['a half', 'data: [DO'],
  ['a half of a chunk', sse(chunk({}, 'tool_calls')).slice(0, -12)],
])('a call is not finished by %s of an end', async (_, last) => {
  const { error, finish } = await hearing({ pieces: [calls, last] });
  expect({ finish, retryable: error?.retryable }).toEqual({ finish: undefined, retryable: true });
});

test.each([
  ['null', 'null'],
  ['None', 'none'],
])('a finish reason of the text %s is none', async (_, word) => {
  const heard = await hearing({ pieces: [sse(chunk({ tool_calls: [CALL] }, word))] });
  expect(heard).toMatchObject({ error: { code: 'cutStream', message: CUT } });
});

test.each([
  ['with line ends of old Macs', (text: string) => text.replaceAll('\n', '\r')],
  [
    'with mixed line ends',
    (text: string) => text.replaceAll('}\n\n', '}\r\n\n').replaceAll('data', 'x: y\rdata'),
  ],
  ['behind a byte order mark', (text: string) => `\ufeff${text}`],
  ['behind blank lines', (text: string) => `\n\r\n\n${text}`],
  ['with values over several lines', (text: string) => text.replaceAll(',"', ',\ndata: "')],
  ['with named events', (text: string) => text.replaceAll('data:', 'event: message\ndata:')],
  ['with blank events', (text: string) => text.replaceAll('data:', 'data:\n\ndata: \n\ndata:')],
  ['without the last line ends', (text: string) => text.trimEnd()],
])('a stream is read %s, at any cut of its bytes', async (_, change) => {
  const bytes = Buffer.from(change(says('Gurke 🥒') + sse(chunk({}, 'stop')) + DONE));
  const heard = await hearing({ pieces: [...bytes].map((byte) => Uint8Array.of(byte)) });
  expect(heard).toMatchObject({ text: 'Gurke 🥒', finish: 'stop' });
});

test.each<[string, WireAnswer]>([
  ['breaks off', { pieces: [says('ok'), sse(chunk({}, 'stop'))], then: 'cut' }],
  ['says what is no JSON', { pieces: [says('ok'), sse(chunk({}, 'stop')), 'data: {"x\n\n', DONE] }],
  ['tells of an error', { pieces: [says('ok'), sse(chunk({}, 'stop')), sse({ error: 'no usage' }), DONE] }],
  [
    'says more after the end of the stream',
    { pieces: [says('ok'), sse(chunk({}, 'stop')), DONE, says('no')] },
  ],
])('an answer that is finished stays whole when its stream %s', async (_, answer) => {
  const heard = await hearing(answer);
  expect(heard).toMatchObject({ text: 'ok', finish: 'stop' });
  expect(heard.error).toBeUndefined();
});

test('a server that stays on the line after the end is not waited for', async () => {
  const limits = { idleMs: 600_000, totalMs: 600_000 };
  const heard = await hearing({ pieces: [says('ok'), DONE], then: 'hang' }, {}, { limits });
  expect(heard).toMatchObject({ text: 'ok', finish: 'unknown' });
});

test.each([
  ['JSON', 'event: error\ndata: {"message":"overloaded"}\n\n'],
  ['words', 'event: error\ndata: overloaded\n\n'],
])('an event that is named an error is one, in %s', async (_, last) => {
  const { error } = await hearing({ pieces: [calls, last, sse(chunk({}, 'tool_calls')), DONE] });
  expect(error?.message).toBe('The endpoint failed while it answered: overloaded');
});

const json = { 'content-type': 'application/json' };
const error = '{"error":{"message":"no such model","code":404}}';
test.each<[string, WireAnswer, string]>([
  ['an error in a body of status 200', { headers: json, pieces: [error] }, 'no such model'],
  ['an error that is called a stream', { pieces: [error] }, 'no such model'],
  ['a page that is called a stream', { pieces: ['<html><title>Log in</title>'] }, "a web page ('Log in')"],
  ['half of a body', { headers: json, pieces: ['{"choices":[{"message":{"content":"a"'] }, 'no JSON'],
  [
    'plain words',
    { headers: { 'content-type': 'text/plain' }, pieces: ['Service is busy'] },
    'Service is busy',
  ],
  ['nothing', { headers: { 'content-type': 'text/plain' } }, CUT],
])('%s is told as what it is', async (_, answer, words) => {
  const heard = await hearing(answer);
  expect(heard.finish).toBeUndefined();
  expect(heard.error?.message).toContain(words);
});

test('an answer in one piece is understood whatever its content type says', async () => {
  const body = { choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };
  const heard = await hearing({ pieces: [JSON.stringify(body, null, 2)] });
  expect(heard).toMatchObject({ text: 'Hello', finish: 'stop' });
});

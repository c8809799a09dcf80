import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { jsonValue } from '../../../src/import/reading/jsonText.js';
import { expectSaid, lines, said } from './reading.js';

const message = (role: string, content: string) => ({ role, content });

test('what other languages write as JSON is read, and a text is left as it is', () => {
  expect(jsonValue('{"a": NaN, "b": [-Infinity,Infinity], "c": "NaN, Infinity", "d": 1}')).toEqual({
    a: 'NaN',
    b: ['-Infinity', 'Infinity'],
    c: 'NaN, Infinity',
    d: 1,
  });
  expect(jsonValue('{"a":"one\ntwo\tthree \\" four"}')).toEqual({ a: 'one\ntwo\tthree " four' });
  for (const broken of ['NaN', '{"a": NaNa}', '{"a": }', '{"a":"b', 'plain\ntext'])
    expect(() => jsonValue(broken)).toThrow();
});

test('a line break stands raw in a text of a line', async () => {
  const text = `${lines(message('user', 'Hello'))}\n{"role":"assistant","content":"One\nTwo"}\n${lines(message('user', 'Bye'))}`;
  const result = await importTranscript(text, 'talk.jsonl');
  expect(said(result)).toEqual(['user: Hello', 'assistant: One\nTwo', 'user: Bye']);
  expect(result.problems).toEqual([]);
});

test('a whole line stands behind one that was cut', async () => {
  const [whole, other] = [lines(message('assistant', 'Behind it')), lines(message('user', 'And on'))];
  const cut = '{"role":"assistant","content":"It bro';
  const result = await importTranscript(
    `${lines(message('user', 'Hello'))}\n${cut}${whole}\n${other}`,
    'talk.jsonl',
  );
  expect(said(result)).toEqual(['user: Hello', 'assistant: Behind it', 'user: And on']);
  expect(result.problems.map(({ line }) => line)).toEqual([2]);
  expect(JSON.stringify(result.conversations)).toContain('It bro');
});

test('an object within a line that was cut is no line', async () => {
  const cut = '{"type":"x","message":{"role":"user","content":"inner"}';
  const result = await importTranscript(
    `${lines(message('user', 'Hello'), message('assistant', 'Hi'))}\n${cut}`,
    'talk.jsonl',
  );
  expect(said(result)).toEqual(['user: Hello', 'assistant: Hi']);
});

test('NaN and Infinity stand in lines, in a whole file and in a file over several lines', async () => {
  const about = {
    messages: [message('user', 'How long?'), message('assistant', 'Forty minutes')],
    score: 'NUMBER',
  };
  for (const text of [
    JSON.stringify(about),
    JSON.stringify(about, null, 1),
    `${JSON.stringify(about)}\n${JSON.stringify(about)}`,
  ])
    expect(said(await importTranscript(text.replaceAll('"NUMBER"', '-Infinity'), 'talk.json'))).toContain(
      'assistant: Forty minutes',
    );
});

test('a log of VS Code that lost its first line', async () => {
  const request = { requestId: 'r2', message: { text: 'And rye?' }, response: [{ value: 'Rye too.' }] };
  await expectSaid(
    [
      { kind: 2, k: ['requests', 0, 'response'], v: [{ value: 'Wheat is fine.' }], i: 0 },
      { kind: 1, k: ['customTitle'], v: 'Bread' },
      { kind: 2, k: ['requests'], v: [request], i: 1 },
    ],
    'vscode-chat',
    ['assistant: Wheat is fine.', 'user: And rye?', 'assistant: Rye too.'],
    [
      'The first line of this log is missing, with what was said until then: only what was changed later is shown.',
    ],
  );
});

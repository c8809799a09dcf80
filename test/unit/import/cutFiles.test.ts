import { describe, expect, test } from 'vitest';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { cutJson } from '../../../src/import/reading/cutJson.js';
import { records, said } from './reading.js';
import { answers, asks, span } from './spans.js';

const bytes = (text: string) => new TextEncoder().encode(text);

/** What is said in each of the files below, in its order. */
const SPOKEN = [
  'where are the 17 cats, and "who" fed them?',
  'On the roof.\nGrößer than 🐈 life.',
  'thanks a lot',
  'You are welcome, friend.',
] as const;
const [first, second, third, fourth] = SPOKEN;

/** How many characters lie between two cuts: no key, word or escape in the files is passed over in all of them. */
const STEP = 3;

/** One conversation in files of several tools, each a single JSON value. */
const FILES: readonly [format: string, value: unknown][] = [
  [
    'any-messages',
    [
      {
        uuid: 'talk 1',
        name: 'Cats and roofs',
        chat_messages: [
          { sender: 'human', text: first, content: [], created_at: '2025-05-01T10:00:00Z' },
          { sender: 'assistant', text: second, content: [] },
          { sender: 'human', text: third, content: [] },
          { sender: 'assistant', text: fourth, content: [] },
        ],
      },
    ],
  ],
  [
    'chat-messages',
    {
      messages: [
        { role: 'user', content: first },
        { role: 'assistant', content: second },
        { role: 'user', content: third },
        { role: 'assistant', content: fourth },
      ],
      done: true,
    },
  ],
  [
    'atif',
    {
      schema_version: 'ATIF-v1.7',
      session_id: 'a-1',
      agent: { name: 'Cookie', version: '1.0', model_name: 'm-5' },
      steps: SPOKEN.map((message, at) => ({
        step_id: at + 1,
        source: at % 2 === 0 ? 'user' : 'agent',
        message,
        metrics: { prompt_tokens: 123_456 },
      })),
    },
  ],
  [
    'otlp',
    {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [0, 2].map((at) =>
                span(`s${at}`, '', 'chat', at, 1, {
                  ...asks({ role: 'user', content: SPOKEN[at] }),
                  ...answers({ role: 'assistant', content: SPOKEN[at + 1] }),
                }),
              ),
            },
          ],
        },
      ],
    },
  ],
];

/** Each string of a JSON text that ends before `end`, as its value. */
function stringsBefore(text: string, end: number): string[] {
  return [...text.slice(0, end).matchAll(/("(?:[^"\\]|\\.)*")(:?)/g)].flatMap(([, each = '', colon]) =>
    colon === '' ? [JSON.parse(each) as string] : [],
  );
}

/** What the records of a result hold, and the texts of JSON in them. */
function held(result: ImportResult): string {
  const all: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === 'string') all.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(result.conversations);
  return all.join('\n');
}

/** Whether a text that JSON writes in a text, as spans do, is held in parts. */
const isHeld = (text: string, all: string) =>
  all.includes(text) ||
  (text.startsWith('[{') && stringsBefore(text, text.length).every((each) => all.includes(each)));

describe.each(FILES)('a file of %s that breaks off', (format, value) => {
  const whole = JSON.stringify(value);

  test('is completed at every character, to what begins as it does', () => {
    for (let end = 1; end < whole.length; end++) {
      const cut = Buffer.from(whole.slice(0, end));
      const { value: completed, rest } = cutJson(cut) ?? {};
      const kept = JSON.stringify(completed ?? '').replace(/["\]}]*$/, '');
      if (rest !== undefined) expect(cut.toString()).toContain(kept);
    }
  });

  test('is read wherever it does, and loses nothing', async () => {
    for (let end = 1; end < whole.length; end += STEP) {
      const cut = whole.slice(0, end);
      const result = await importTranscript(cut, 'talk.json');
      const all = held(result);
      const lost = stringsBefore(cut, end).filter((each) => each !== '' && !isHeld(each, all));
      expect([cut.slice(-40), lost]).toEqual([cut.slice(-40), []]);
      expect(result.problems.some(({ severity }) => severity === 'error')).toBe(true);
    }
  });

  test('has every message before the cut as a message', async () => {
    const ends = SPOKEN.map((text) => {
      const inText = JSON.stringify(text).slice(1, -1);
      const at = whole.includes(inText)
        ? whole.indexOf(inText) + inText.length
        : whole.indexOf(JSON.stringify(inText).slice(1, -1));
      return whole.indexOf('}', at);
    });
    for (let end = (ends[0] ?? 0) + 1; end < whole.length; end += STEP) {
      const result = await importTranscript(whole.slice(0, end), 'talk.json');
      const before = SPOKEN.filter(
        (_, at) => end > (format === 'otlp' ? (ends[at] ?? 0) + 4 : (ends[at] ?? 0)),
      );
      const words = said(result).map((each) => each.replace(/^\w+: /, ''));
      expect([end, result.format, words.slice(0, before.length)]).toEqual([end, format, [...before]]);
    }
  });
});

describe('where a file breaks off', () => {
  const text =
    '{\n "messages": [\n  {"role": "user", "content": "hello there"},\n  {"role": "assistant", "content": "Hello, I';

  test('is reported with its line and what it stands in', async () => {
    const result = await importTranscript(text, 'talk.json');
    expect(said(result)).toEqual(['user: hello there', 'assistant: Hello, I']);
    expect(result.problems).toEqual([
      {
        severity: 'error',
        line: 4,
        message:
          'The file breaks off in messages[1].content: its end is missing. What stands before was read.',
      },
    ]);
  });

  test('what cannot be completed is kept as it was', async () => {
    const result = await importTranscript(text.slice(0, text.indexOf('"assistant"') + 6), 'talk.json');
    expect(said(result)).toEqual(['user: hello there']);
    expect(records(result)).toContainEqual(
      expect.objectContaining({ kind: 'unreadable', value: '{"role": "assis' }),
    );
  });

  test('zeros and blanks behind the cut, as disks leave them, are no part of it', async () => {
    const result = await importTranscript(`${text}\0\0\0\n`, 'talk.json');
    expect(said(result)).toEqual(['user: hello there', 'assistant: Hello, I']);
  });

  test.each<[string, unknown, string]>([
    ['{"a": [1, 2', { a: [1] }, '2'],
    ['{"a": [true, fal', { a: [true] }, 'fal'],
    ['{"a": 1, "b"', { a: 1 }, '"b"'],
    ['{"a": 1, "b": ', { a: 1 }, '"b":'],
    ['{"a": 1,', { a: 1 }, ''],
    [String.raw`["two words\u00`, ['two words'], String.raw`\u00`],
    [String.raw`["two words\ud83d`, ['two words'], String.raw`\ud83d`],
    [String.raw`["two words\ud83d\ude0`, ['two words'], String.raw`\ud83d\ude0`],
    [String.raw`["two words\ud83dabcde\n`, ['two words\ud83dabcde\n'], ''],
    ['["two words\\', ['two words'], '\\'],
    ['{"a": {"b": "x", "c": [', { a: { b: 'x' } }, '"c": ['],
    ['[{"a": "b"}, {"a": 1, "b": 2', [{ a: 'b' }], '{"a": 1, "b": 2'],
    ['[{"a": "b"}, {"a": "b c", "b": 2', [{ a: 'b' }, { a: 'b c' }], '"b": 2'],
  ])('%s is completed without inventing anything', (source, value, rest) => {
    expect(cutJson(bytes(source))).toMatchObject({ value, rest });
  });

  test('half a character is left out', () => {
    const source = bytes('["two words 🐈');
    expect(cutJson(source.subarray(0, -2))).toMatchObject({ value: ['two words '], rest: '' });
  });

  test.each([
    '[',
    '{"a',
    '{"a": ',
    '[12:30] hello',
    '[note] hello',
    '{"a": 1}',
    '{"a": 1, }',
    '{"a" 1',
    '[1.2.3, 4',
    '{"a": "b\n{"c": 1}',
    '[[}',
    '{"a": [1}',
    '['.repeat(500),
  ])('%s is no beginning of a value with anything in it', (source) => {
    expect(cutJson(bytes(source))).toBeUndefined();
  });
});

import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { ImportSink } from '../../../src/import/building/importSink.js';
import { WholeBytes } from '../../../src/import/reading/byteWindow.js';
import { jsonLines } from '../../../src/import/reading/jsonLines.js';
import { parseJsonBytes, valueEnd } from '../../../src/import/reading/jsonBytes.js';
import { lines, said } from './reading.js';

const talk = [
  { role: 'user', content: 'Größe? "{[' },
  { role: 'assistant', content: 'Klein.' },
];
const words = ['user: Größe? "{[', 'assistant: Klein.'];
const bytes = (text: string) => new TextEncoder().encode(text);
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a transcript is read, however it was written down', () => {
  const text = lines(...talk);

  test.each<[string, Uint8Array]>([
    ['UTF-16, little endian, with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, little endian, without a mark', Buffer.from(text, 'utf16le')],
    ['UTF-16, big endian, with a mark', swapped(`\ufeff${text}`)],
    ['UTF-16, big endian, without a mark', swapped(text)],
    ['UTF-8 with a mark', bytes(`\ufeff${text}`)],
    ['lines ended as on Windows', bytes(text.replaceAll('\n', '\r\n'))],
    ['packed by gzip', gzipSync(text)],
    ['NUL bytes at the end', bytes(`${text}\n${'\0'.repeat(4096)}`)],
    ['NUL bytes between lines', bytes(text.replace('\n', `\n${'\0'.repeat(512)}`))],
    ['one JSON list', bytes(JSON.stringify(talk))],
    ['a JSON list in UTF-16', Buffer.from(JSON.stringify(talk, null, 2), 'utf16le')],
    ['a JSON list with NUL bytes behind it', bytes(`${JSON.stringify(talk)}\0\0`)],
    [
      'values over several lines, one after another',
      bytes(talk.map((each) => JSON.stringify(each, null, 2)).join('\n')),
    ],
    ['values in one line', bytes(talk.map((each) => JSON.stringify(each)).join(''))],
    ['values in one line, with commas', bytes(talk.map((each) => JSON.stringify(each)).join(', '))],
    [
      'the members of a list without its brackets',
      bytes(talk.map((each) => `  ${JSON.stringify(each, null, 2)},`).join('\n')),
    ],
  ])('%s', async (_, source) => {
    const result = await importTranscript(source, 'misnamed.txt');
    expect([said(result), result.problems]).toEqual([words, []]);
  });

  test('a value that does not end spoils no other', async () => {
    const result = await importTranscript(`{"role": "user",\n${text}\n{"role": "us`, 'a.jsonl');
    expect(said(result)).toEqual(words);
    expect(result.problems.map(({ line, message }) => [line, message])).toEqual([
      [1, 'This line is no JSON.'],
      [4, 'The last line is cut.'],
    ]);
  });

  test('line numbers count the lines of values over several lines', async () => {
    const source = `${JSON.stringify(talk[0], null, 2)}\n${JSON.stringify(talk[1])} and more\n`;
    const result = await importTranscript(source, 'a.jsonl');
    expect(said(result)).toEqual(words);
    expect(result.problems.map(({ line }) => line)).toEqual([5]);
  });

  test('very many values that do not end are looked for at bounded cost', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const result = await importTranscript('{"a":[\n'.repeat(20_000), 'a.jsonl');
    expect(result.format).toBe('unknown');
    expect(parse.mock.calls.length).toBeLessThan(100_000);
  });
});

describe('a format is recognised by what stands in the file, however late', () => {
  const session = [
    { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'hello' } },
    { type: 'assistant', uuid: 'a', sessionId: 's', message: { id: 'm', role: 'assistant', content: 'hi' } },
  ];
  const strange = Array.from({ length: 60 }, (_, at) => ({ note: at }));

  test.each([
    [
      'summaries',
      Array.from({ length: 25 }, (_, at) => ({ type: 'summary', summary: `s${at}`, leafUuid: `l${at}` })),
    ],
    [
      'snapshots',
      Array.from({ length: 30 }, (_, at) => ({
        type: 'file-history-snapshot',
        messageId: `m${at}`,
        snapshot: {},
      })),
    ],
    ['values of no known kind', strange],
  ])('behind many %s', async (_, head) => {
    const result = await importTranscript(lines(...head, ...session), 's.jsonl');
    expect([result.format, said(result)]).toEqual(['claude-code', ['user: hello', 'assistant: hi']]);
  });

  test('in a list instead of lines', async () => {
    const result = await importTranscript(JSON.stringify(session), 's.json');
    expect([result.format, said(result)]).toEqual(['claude-code', ['user: hello', 'assistant: hi']]);
  });

  test.each<[string, unknown, RegExp]>([
    ["a subagent's description", { agentType: 'reviewer' }, /import the session/],
    [
      'a part of a message',
      { id: 'p', messageID: 'm', sessionID: 's', type: 'step-start' },
      /opencode export/,
    ],
    ['a list of prompts', { session_id: 's', ts: 1, text: 'hi' }, /\.codex\/sessions/],
    ['something else', { a: 1, b: 2 }, /one object with the keys a, b/],
  ])('%s is told what it looks like', async (_, value, expected) => {
    const { format, problems } = await importTranscript(JSON.stringify(value), 'x.json');
    expect([format, problems[0]?.message]).toEqual(['unknown', expect.stringMatching(expected)]);
  });
});

describe('JSON is parsed piece by piece', () => {
  test('as it would be at once', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 40 }), (json, piece) => {
        const text = json === '-0' ? '0' : json;
        expect(JSON.stringify(parseJsonBytes(bytes(`\n ${text}\t`), piece))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  test.each([
    '[1,]',
    '[1,,2]',
    '{"a":1,}',
    '{"a" 1}',
    '{"a":1',
    '[1 2]',
    '{1:2}',
    '[1}',
    '{"a":1,"b"}',
    '[,1]',
  ])('%s is refused as it would be', (text) => {
    for (const piece of [1, 2, 3, 1000])
      expect(() => parseJsonBytes(bytes(text), piece)).toThrow(SyntaxError);
  });

  test('no piece is much larger than asked for, however large the document', () => {
    const rows = Array.from({ length: 5000 }, (_, at) => ({
      at,
      words: 'x'.repeat(at % 100),
      list: [[at], [{ at }]],
    }));
    const document = { deep: { deeper: { rows } }, more: rows, last: 1 };
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseJsonBytes(bytes(JSON.stringify(document)), 10_000)).toEqual(document);
    const sizes = parse.mock.calls.map(([text]) => text.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_002);
    expect(sizes.length).toBeLessThan(300);
  });

  test('the end of a value is found behind brackets and quotes in texts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        const json = bytes(JSON.stringify(value));
        expect(valueEnd(Buffer.concat([json, bytes('{"next": 1}')]), 0)).toBe(json.length);
      }),
    );
  });
});

describe('very many lines', () => {
  test('that are empty are passed over without being decoded, and counted', () => {
    const decoded = vi.spyOn(TextDecoder.prototype, 'decode');
    const sink = new ImportSink('a');
    const file = bytes(`{"a":1}\n${'\n \t\r\n'.repeat(1_000)}\n  {"b":2}\n${'\n'.repeat(1_000)}`);
    const found = [...jsonLines(new WholeBytes(file), sink)];
    expect(found).toMatchObject([
      { value: { a: 1 }, line: 1, offset: 0 },
      { value: { b: 2 }, line: 2_003, length: 9 },
    ]);
    expect(sink.problems).toEqual([]);
    expect(decoded.mock.calls.length).toBeLessThan(5);
  });

  test('that are no JSON are each looked through by themselves, and told as counts by reason', () => {
    const looked: number[] = [];
    const { indexOf } = Buffer.prototype;
    vi.spyOn(Buffer.prototype, 'indexOf').mockImplementation(function (this: Buffer, ...sought) {
      looked.push(this.length - Number(sought[1]));
      return indexOf.apply(this, sought as Parameters<typeof indexOf>);
    });
    const sink = new ImportSink('a');
    const file = bytes('no JSON\n'.repeat(1_000));
    const found = [...jsonLines(new WholeBytes(file), sink)];
    expect(found.flatMap(({ raw }) => raw?.split('\n'))).toEqual(Array<string>(1_000).fill('no JSON'));
    // Each entry becomes a record: those behind the first hundred are together.
    expect(found.map(({ line }) => line)).toEqual(Array.from({ length: 101 }, (_, at) => at + 1));
    expect(looked.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(file.length);
    expect(sink.problems.map(({ message, line }) => `${line ?? '-'} ${message}`)).toEqual([
      ...[1, 2, 3].map((line) => `${line} This line is no JSON.`),
      '- 997 more lines: This line is no JSON.',
    ]);
  });
});

test('very many lines that are no JSON stand in their places among values, in blocks of 64 KiB', () => {
  const broken = `{"a": "no JSON ${'x'.repeat(1_000)}`;
  const file = bytes(`${`${broken}\n`.repeat(300)}{"a":1}\n${`${broken}\n`.repeat(2)}{"b":2}`);
  const found = [...jsonLines(new WholeBytes(file), new ImportSink('a'))];
  expect(found.flatMap(({ raw }) => raw?.split('\n') ?? [])).toEqual(Array<string>(302).fill(broken));
  expect(found.map(({ raw, value }) => (raw === undefined ? value : raw.split('\n').length))).toEqual([
    ...Array<number>(100).fill(1),
    65,
    65,
    65,
    5,
    { a: 1 },
    2,
    { b: 2 },
  ]);
});

describe('what a file is that is not read is said', () => {
  const wide = (text: string, isLittle: boolean) => {
    const view = new DataView(new ArrayBuffer(text.length * 4));
    for (let at = 0; at < text.length; at++) view.setUint32(at * 4, text.charCodeAt(at), isLittle);
    return new Uint8Array(view.buffer);
  };
  const text = lines(...talk);

  test.each<[string, Uint8Array, string]>([
    ['gzip within gzip', gzipSync(gzipSync(text)), 'packed twice'],
    ['UTF-32, little endian, with a mark', wide(`\ufeff${text}`, true), 'UTF-32'],
    ['UTF-32, little endian', wide(text, true), 'UTF-32'],
    ['UTF-32, big endian, with a mark', wide(`\ufeff${text}`, false), 'UTF-32'],
    ['UTF-32, big endian', wide(text, false), 'UTF-32'],
  ])('%s', async (_, file, words) => {
    const { conversations, problems } = await importTranscript(file, 'a.jsonl');
    expect(conversations).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { runs } from '../../support/fixedInputs.js';

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');
const records = ({ conversations }: ImportResult) => conversations.flatMap((each) => each.records);
const messages = (result: ImportResult) =>
  new MessageQuery(records(result))
    .all()
    .map((record) => ('message' in record ? (record.message as object) : undefined));
const problems = (result: ImportResult) =>
  result.problems.map(({ severity, message, line }) => `${severity} ${line ?? '-'} ${message}`);
const chat = [
  { role: 'user', content: 'Good day' },
  { role: 'assistant', content: 'Good day to you' },
];

describe('however a file is written', () => {
  const json = JSON.stringify(chat, null, 2);
  test.each<[string, string | Uint8Array]>([
    ['a list', json],
    ['with a byte order mark', `\ufeff${json}`],
    ['with CRLF', json.replaceAll('\n', '\r\n')],
    ['as UTF-16, little end first', Buffer.from(`\ufeff${json}`, 'utf16le')],
    ['as UTF-16, big end first', Buffer.from(`\ufeff${json}`, 'utf16le').swap16()],
    ['an object with a list', JSON.stringify({ messages: chat })],
    ['a line a message', lines(...chat)],
    ['lines with CRLF and blank ones', `${lines(...chat).replace('\n', '\r\n\r\n')}\r\n`],
    ['a line a conversation', lines({ messages: chat })],
    ['white space first', `\n  ${json}`],
  ])('%s, the messages come out', async (_, source) => {
    const result = await importTranscript(source, 'folder/talk.json');
    expect(result).toMatchObject({
      format: 'chat-messages',
      problems: [],
      conversations: [{ id: 'talk', title: 'Good day' }],
    });
    expect(messages(result)).toEqual(chat);
  });

  test('as a stream that splits characters', async () => {
    const bytes = Buffer.from(JSON.stringify([{ role: 'user', content: 'ä😀' }]));
    async function* stream() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(messages(await importTranscript(stream(), 'x'))).toEqual([{ role: 'user', content: 'ä😀' }]);
  });
});

describe('what cannot be read is kept and reported', () => {
  test('a cut last line', async () => {
    const result = await importTranscript(`${lines(...chat)}\n{"role":"us`, 'x.jsonl');
    expect(problems(result)).toEqual(['error 3 The last line is cut.']);
    expect(records(result).at(-1)).toMatchObject({
      type: 'imported',
      kind: 'unreadable',
      value: '{"role":"us',
    });
  });

  test('a bad line between good ones, where it stands', async () => {
    const [first, last] = chat;
    const result = await importTranscript(`oops\n${lines(first)}\n<<<\n${lines(last)}`, 'x.jsonl');
    expect(problems(result)).toEqual(['error 1 This line is no JSON.', 'error 3 This line is no JSON.']);
    expect(records(result).map(({ type }) => type)).toEqual(['imported', 'message', 'imported', 'message']);
  });

  test('many bad lines without many words', async () => {
    const result = await importTranscript(`${lines(...chat)}\n${'no\n'.repeat(100)}`, 'x.jsonl');
    expect(problems(result)).toHaveLength(4);
    expect(problems(result).at(-1)).toBe('error - 97 more lines: This line is no JSON.');
    expect(records(result)).toHaveLength(102);
  });

  test('a line that nests too deep', async () => {
    const deep = `{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const result = await importTranscript(`${lines(...chat)}\n${deep}`, 'x.jsonl');
    expect(problems(result)).toEqual(['error 3 This line nests deeper than 200 levels.']);
    expect(records(result).at(-1)).toMatchObject({ kind: 'unreadable', value: deep });
  });

  test('brackets inside of strings are no nesting', async () => {
    const odd = [{ role: 'user', content: `${'['.repeat(500)}\\"${'{'.repeat(500)}\\` }];
    expect(messages(await importTranscript(JSON.stringify(odd), 'x.json'))).toEqual(odd);
  });

  test.each([
    [
      'a file that nests too deep',
      '['.repeat(1000),
      'The file nests deeper than 200 levels; it was kept as text.',
    ],
    [
      'JSON without objects',
      'null\nnull\n',
      'It is JSON without any object, and messages are objects. Name the file in which a tool keeps the session.',
    ],
    [
      'a text',
      'Good day\n42\n"x"\n',
      'It is neither JSON nor lines of JSON. Name the file in which a tool keeps the session.',
    ],
    [
      'JSON of no known kind',
      '{"a":1}',
      'This is no format that is known here: it holds one object with the keys a.',
    ],
    [
      'numbers',
      '[1,2]',
      'It is JSON without any object, and messages are objects. Name the file in which a tool keeps the session.',
    ],
  ])('%s', async (_, source, problem) => {
    const result = await importTranscript(source, 'x');
    expect(result).toMatchObject({ format: 'unknown', problems: [{ severity: 'error', message: problem }] });
    expect(records(result)).toHaveLength(1);
  });

  test('a database, of which nothing is kept as text', async () => {
    expect(await importTranscript('SQLite format 3\0 and pages', 'crush.db')).toMatchObject({
      format: 'unknown',
      conversations: [],
      problems: [
        {
          severity: 'error',
          message:
            'This is a SQLite database of no kind that is known here: those of OpenCode, Kilo Code, MiMo Code, ICodeMate, ZCode, Cursor, Goose, Zed, Crush, Kiro, Amazon Q, Hermes and Copilot are read, where they lie on a disk. Of another tool, export the session and import that file.',
        },
      ],
    });
  });

  test('an empty file', async () => {
    expect(await importTranscript('', 'x')).toMatchObject({
      format: 'unknown',
      conversations: [],
      problems: [{ message: 'The file is empty.' }],
    });
  });

  test('bytes that are no UTF-8', async () => {
    const broken = Buffer.concat([
      Buffer.from('{"role":"user","content":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const whole = await importTranscript(broken, 'x.json');
    expect(messages(whole)).toEqual([{ role: 'user', content: '\ufffd' }]);
    expect(problems(whole)).toEqual(['warning - Some characters are damaged.']);
    const two = await importTranscript(Buffer.concat([broken, Buffer.from('\n'), broken]), 'x.jsonl');
    expect(problems(two)).toEqual(['warning 1 Some bytes are no UTF-8; they were replaced.']);
  });

  test('more than was asked for', async () => {
    const result = await importTranscript(lines(...chat), 'x', { maxBytes: 50 });
    expect(problems(result)).toEqual([
      'error 2 The last line is cut.',
      'error - The file is longer than 50 bytes, the most that is read at once of Chat completions; the rest was not read. As a plain file with one value a line it is read at any length.',
    ]);
    async function* endless() {
      for (;;) yield Buffer.from(`${lines(...chat)}\n`);
    }
    expect(messages(await importTranscript(endless(), 'x', { maxBytes: 1000 })).length).toBeGreaterThan(20);
  });

  test('more than is read at once of a format that is read as a whole, in a file and in one beside it', async () => {
    const session = lines(
      { kind: 0, v: { sessionId: 's1', requests: [] } },
      { kind: 1, k: ['x'], v: 'how warm?' },
    );
    const long = `${session}\n${' '.repeat(2 * 1024 * 1024)}`;
    const maxBytes = 1024 * 1024;
    const result = await importTranscript(long, 'x', {
      maxBytes,
      sidecars: [{ name: 'beside/y.jsonl', source: long }],
    });
    const told = (what: string) =>
      `error - ${what} is longer than 1 MiB, the most that is read at once of VS Code; the rest was not read. Split it into files of at most this size, with whole sessions in each, and import these.`;
    expect(problems(result)).toEqual(expect.arrayContaining([told('The file'), told('beside/y.jsonl')]));
  });

  test('white space within a long line, of which only the ends are looked at', async () => {
    const blank = ' \0'.repeat(400_000);
    const content = `a${' '.repeat(400_000)}b`;
    const padded = `${blank}${JSON.stringify({ role: 'user', content })}${blank}`;
    const result = await importTranscript(lines(...chat) + `\n${padded}\n`, 'x');
    expect(messages(result).at(-1)).toEqual({ role: 'user', content });
  });

  test('items that are no messages, among messages', async () => {
    const result = await importTranscript(JSON.stringify([...chat, 42, { no: 'role' }, ...chat]), 'x');
    expect(messages(result)).toEqual([...chat, ...chat]);
    expect(records(result)).toHaveLength(6);
    expect(problems(result)).toEqual([
      'warning - Kept without being understood: values that are no messages (once).',
    ]);
  });
});

test('what tells no time has none, and not that of its neighbours', async () => {
  const said = { type: 'user', uuid: 'u1', sessionId: 's1', message: chat[0] };
  const file = lines(
    { type: 'summary', summary: 'A talk' },
    { ...said, timestamp: '2026-01-01T00:00:00Z' },
    { type: 'summary', summary: 'Another' },
  );
  const times = records(await importTranscript(file, 'x.jsonl')).map(({ time }) => time);
  expect(times).toEqual([0, Date.UTC(2026, 0, 1), 0]);
});

test('ids are safe as file names, and each is there once', async () => {
  const talks = ['../../etc/passwd', '../../etc/passwd', 'COM1: <x>', '...', 'a'.repeat(300)].map((id) => ({
    id,
    messages: chat,
  }));
  const { conversations } = await importTranscript(JSON.stringify(talks), 'x');
  expect(conversations.map(({ id }) => id)).toEqual([
    'etc-passwd',
    'etc-passwd-2',
    'COM1-x',
    'imported',
    'a'.repeat(100),
  ]);
});

test('whatever a file holds, reading it ends with a result', async () => {
  const word = fc.constantFrom(
    'type',
    'role',
    'message',
    'messages',
    'content',
    'payload',
    'data',
    'user',
    'assistant',
    'uuid',
    'id',
    'response_item',
    'event_msg',
    'session_meta',
    'tool_calls',
    'tool_use',
    'tool_result',
    'resourceSpans',
    'observations',
    'prompts',
    'logs',
    'sessionId',
    'projectHash',
    'timeline',
    'chatMessages',
    'eval',
    'status',
    'samples',
    'output',
    'parts',
    'info',
    'time_created',
    'session_id',
    'source',
    'action',
    'observation',
    'messages_display',
    'loglines',
    '__proto__',
    'toString',
  );
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'tree' },
      fc.constantFrom(null, 0, 1e308, true, '', 'x'),
      word,
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'tree' }),
    object: fc.dictionary(word, tie('value'), { maxKeys: 5, depthIdentifier: 'tree' }),
  })).value;
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { maxLength: 5 }), async (values) => {
      const result = await importTranscript(lines(...values), 'x.jsonl');
      const query = new MessageQuery(records(result));
      expect(query.export('json')).toBeTypeOf('string');
      if (values.length > 0) expect(result.conversations.length + result.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: runs(1500) },
  );
});

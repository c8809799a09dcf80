import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { lostTexts, rawValues } from '../../../scripts/lostTexts.mjs';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, records } from './reading.js';

const folder = fileURLToPath(new URL('../../../../shared/transcripts/', import.meta.url));
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort()
  : [];

/** What only the last guard kept, because no reader did. */
const leftOver = (result: ImportResult) =>
  records(result).flatMap((record) =>
    'kind' in record && record.kind === 'left over'
      ? (record.value as { path: string; value: unknown }[])
      : [],
  );

/** The records that readers made. */
const read = (result: ImportResult) =>
  records(result).filter((record) => !('kind' in record) || record.kind !== 'left over');

describe.skipIf(files.length === 0)('of a real file no text and no large number is lost', () => {
  test.each(files)('%s', async (name) => {
    const path = join(folder, name);
    const result = await importFile(path, { alone: true });
    const titles = result.conversations.map(({ title }) => title);
    expect(lostTexts(rawValues(path), [titles, read(result)])).toEqual([]);
    expect(leftOver(result)).toEqual([]);
  });
});

describe('what a reader drops', () => {
  const user = { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'hello' } };

  /** Reads a session whose message has this beside its content, and gives the record's source. */
  const sourceOf = async (beside: object) => {
    const result = await importTranscript(lines({ ...user, ...beside }), 's.jsonl');
    expect(leftOver(result)).toEqual([]);
    return (records(result)[0] as unknown as { source: Record<string, unknown> }).source;
  };

  test('stands in the source of its record, in its place', async () => {
    const beside = { toolUseResult: { file: { lines: [{ odd: 'a line of a file that nobody reads' }] } } };
    expect(await sourceOf(beside)).toMatchObject(beside);
  });

  test('stands there once: a text that the message says is taken out', async () => {
    const content = 'a text that is said in the message itself';
    const result = await importTranscript(
      lines({
        ...user,
        message: { role: 'user', content },
        toolUseResult: { stdout: content, code: 123456 },
      }),
      's.jsonl',
    );
    expect(records(result)[0]).toMatchObject({ source: { toolUseResult: { code: 123456 } } });
    expect(JSON.stringify(records(result)).split(content)).toHaveLength(2);
  });

  test('is kept and reported where no reader kept it, with its place', async () => {
    const result = await importTranscript(
      lines(
        { role: 'user', message: { content: 'hello' } },
        { role: 'user', message: { content: 'more' }, n: 1 },
      ),
      'talk.jsonl',
      { sidecars: [{ name: 'beside.json', source: '{"note":"a text beside the transcript"}' }] },
    );
    expect(leftOver(result)).toEqual([{ path: 'beside.json.note', value: 'a text beside the transcript' }]);
    expect(result.problems).toEqual([
      {
        severity: 'warning',
        message:
          '1 text or number stands in no message; it was kept at the end. It is at beside.json.note: a text beside the transcript',
      },
    ]);
  });
});

describe('of a recorded stream', () => {
  const chunk = (content: string) => ({
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta: { content } }],
  });
  const stream = (...data: string[]) => data.map((each) => `data: ${each}\n\n`).join('');
  const request = { model: 'm', messages: [{ role: 'user', content: 'hello there' }] };
  const cassette = (body: string) =>
    JSON.stringify({
      version: 1,
      interactions: [
        {
          request: { uri: 'https://a.example', body: JSON.stringify(request) },
          response: { status: { code: 200 }, body: { string: body } },
        },
      ],
    });

  test('the events are what must stand, not the text that they were in', async () => {
    const body = stream(JSON.stringify(chunk('hello ')), JSON.stringify(chunk('yourself')), '[DONE]');
    const result = await importTranscript(cassette(body), 'cassette.json');
    expect(result.problems).toEqual([]);
    expect(leftOver(result)).toEqual([]);
    expect(lostTexts([JSON.parse(cassette(body))], read(result))).toEqual([]);
  });

  test('an event that was cut is kept and reported', async () => {
    const body = stream(
      JSON.stringify(chunk('hello yourself')),
      '{"object":"chat.completion.chunk","choices":[{"del',
    );
    const result = await importTranscript(cassette(body), 'cassette.json');
    expect(leftOver(result)).toMatchObject([{ value: '{"object":"chat.completion.chunk","choices":[{"del' }]);
  });
});

test('of a cassette in YAML the check reads the values, as the import does', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'corpus-')), 'cassette.yaml');
  writeFileSync(file, 'interactions:\n- request: {body: "a text in quotes"}\nversion: 1\n');
  expect(rawValues(file)).toEqual([
    { interactions: [{ request: { body: 'a text in quotes' } }], version: 1 },
  ]);
});

describe('the check itself', () => {
  const standing = {
    message: { content: 'first line\n  second line ', url: 'data:image/png;base64,AAAABBBBCCCC' },
    time: 1_735_689_631_000,
    args: '{"path":"/a/long/path"}',
  };

  test.each([
    ['a line of a text', 'second line'],
    ['lines with other white space', '  first line  \r\nsecond line'],
    ['a piece of a text', 'irst li'],
    ['a value in JSON', { deep: ['/a/long/path'] }],
    ['JSON that is written otherwise', '{ "path" : "/a/long/path" }'],
    ['a picture', 'AAAABBBBCCCC'],
    ['a time as text', '2025-01-01T00:00:31.000Z'],
    ['a time in seconds', 1_735_689_631],
    ['a short text', 'tiny'],
    ['a small number', 17],
    ['the kind of an object', { type: 'function_call_output' }],
  ])('finds %s', (_, value) => {
    expect(lostTexts([value], standing)).toEqual([]);
  });

  test.each([
    ['a line that is nowhere', 'first line\nthird line'],
    ['a number', 1_735_689_632],
    ['a value in JSON', '{"path":"/another/long/path"}'],
    ['a text under a key for kinds', { type: 'This is more than a kind.' }],
  ])('misses %s', (_, value) => {
    expect(lostTexts([value], standing)).toHaveLength(1);
  });
});

test('a part of which no reader keeps anything is kept, however short its texts are', async () => {
  const span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '1788256800000000000',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': '[{"role":"assistant","content":"Yes."}]',
    },
  };
  const whole = { schema: 'demo.v1', capture: { content: 'full', level: 'none' }, spans: [span] };
  const { conversations, problems } = await importTranscript(JSON.stringify(whole), 'short.json');
  const kept = JSON.stringify(conversations);
  for (const text of ['"demo.v1"', '"full"', '"none"']) expect(kept).toContain(text);
  expect(problems.map(({ message }) => message).join()).toContain('3 texts or numbers stand in no message');
});

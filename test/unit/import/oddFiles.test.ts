import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { time } from '../../../src/import/reading/fields.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { said } from './reading.js';

const line = (role: string, content: string) => JSON.stringify({ role, content });
const LINES = [line('user', 'One\u2028more'), line('assistant', 'Two'), line('user', 'Three')];
const SAID = ['user: One\u2028more', 'assistant: Two', 'user: Three'];

async function read(bytes: string | Buffer, name = 'a.jsonl') {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, bytes);
  return importFile(path);
}

test.each([
  ['U+2028', LINES.join('\u2028')],
  ['U+2029', LINES.join('\u2029')],
  ['U+0085', LINES.join('\x85')],
  ['0x1E before each line', LINES.map((each) => `\x1e${each}\n`).join('')],
  ['0x1E alone', LINES.map((each) => `\x1e${each}`).join('')],
  ['a form feed', LINES.join('\f')],
  ['commas', `${LINES.join(',\n')},\n`],
])('values with %s between them are read, and nothing is reported', async (_, text) => {
  const imported = await read(text);
  expect(said(imported)).toEqual(SAID);
  expect(imported.problems).toEqual([]);
});

test.each(['', ' ', '\n'])('a comma behind the last item of a list is told once: %j', async (space) => {
  const imported = await read(`[${LINES.join(',')},${space}]`, 'a.json');
  expect(said(imported)).toEqual(SAID);
  expect(imported.problems.map(({ message }) => message).join()).toContain('Commas stand behind');
});

test('a packed file that is cut is read as far as it goes, and that is told', async () => {
  const many = Array.from({ length: 2_000 }, (_, at) => line('user', `Message ${at} ${at * 7919}`)).join(
    '\n',
  );
  const packed = gzipSync(many);
  const imported = await read(packed.subarray(0, Math.floor(packed.length / 2)), 'a.jsonl.gz');
  expect(said(imported).length).toBeGreaterThan(500);
  expect(imported.problems.map(({ message }) => message).join()).toContain('breaks off');
});

test.each([
  ['garbage stands', (packed: Buffer) => Buffer.concat([packed, Buffer.from('This is no gzip.')]), 2_000],
  ['the checksum is wrong', (packed: Buffer) => packed.fill(0, packed.length - 8, packed.length - 4), 2_000],
  [
    'a block is damaged',
    (packed: Buffer) => packed.fill(0xff, packed.length >> 1, (packed.length >> 1) + 16),
    500,
  ],
])('a packed file in or behind which %s is read up to there, and that is told', async (_, damaged, least) => {
  const many = Array.from({ length: 2_000 }, (__, at) => line('user', `Message ${at} ${at * 7919}`));
  for (const some of [many.slice(0, 3), many]) {
    const imported = await read(damaged(gzipSync(some.join('\n'))), 'a.jsonl.gz');
    if (some === many || least === 2_000)
      expect(said(imported).length).toBeGreaterThanOrEqual(Math.min(least, some.length));
    expect(imported.problems.map(({ message }) => message).join()).toMatch(
      /is damaged|could not be unpacked/,
    );
  }
});

test('a time without a zone is one of UTC on every machine', () => {
  const { TZ } = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  for (const zone of ['Asia/Tokyo', 'America/New_York', 'UTC']) {
    process.env.TZ = zone;
    for (const text of [
      '2026-03-01T10:00:05.250',
      '2026-03-01 10:00:05,250',
      '2026-03-01T10:00:05.250Z',
      '2026-03-01T11:00:05.250+01:00',
    ])
      expect(time(text)).toBe(Date.UTC(2026, 2, 1, 10, 0, 5, 250));
  }
});

test.each([Infinity, -Infinity, NaN, 1e308, '1'.repeat(400)])(
  '%s is no time, and asks for none for ever',
  (value) => {
    expect(time(value)).toBeUndefined();
  },
);

test('numbers that are no count of anything end a reading as all others do', async () => {
  const usage = (tokens: string) =>
    `{"role":"assistant","content":"Two","usage":{"prompt_tokens":${tokens},"completion_tokens":1e308}}`;
  const imported = await read([line('user', 'One'), usage('1e999'), usage('-5')].join('\n'));
  expect(said(imported)).toEqual(['user: One', 'assistant: Two', 'assistant: Two']);
});

test('a value that nests too deep within an attribute of a span takes nothing else with it', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const attributes = Object.entries({
    'openinference.span.kind': 'LLM',
    'input.value': deep,
    'output.value': deep,
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'Weigh the flour',
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = {
    traceId: 'a'.repeat(32),
    spanId: '1'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '1763632800000000000',
    endTimeUnixNano: '1763632801000000000',
    attributes,
  };
  const resourceSpans = [{ resource: { attributes: [] }, scopeSpans: [{ spans: [span] }] }];
  const imported = await read(JSON.stringify({ resourceSpans }), 'a.json');
  expect(said(imported)[0]).toBe('user: Weigh the flour');
  expect(imported.problems.map(({ message }) => message).join()).not.toContain('call stack');
});

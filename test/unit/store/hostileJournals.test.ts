import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { encodeHeader } from '../../../src/store/format/journalHeader.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const header = JSON.stringify({ logbook: 1, conversation: 'c1' });
const checkedHeader = encodeHeader('c1', 1, 0).toString().trimEnd();
const record = (seq: number, more: object = {}) => ({ ...recordOf(seq, said(`t${seq}`)), ...more });
const plainLine = (seq: number, more?: object) => JSON.stringify(record(seq, more));
const checked = (seq: number, more?: object) => encodeLine(record(seq, more)).toString();
const text = (content: unknown) => ({ message: { role: 'assistant', content } });
const body = (...parts: readonly string[]) => `${parts.join('\n')}\n`;
const three = [checkedHeader, checked(1), checked(2), checked(3)];
/** Of a journal with checksums, one line changed by hand. */
const edited = (at: number, change: (line: string) => string) =>
  body(...three.map((line, index) => (index === at ? change(line) : line)));
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const ALL = ['t1', 't2', 't3'];
const spill = (more: object = {}) => ({
  spill: [
    {
      field: 'content',
      path: 'state/logs/tool-results/c1/x.json',
      bytes: 3,
      sha256: 'a'.repeat(64),
      ...more,
    },
  ],
});

type Files = string | Buffer | Readonly<Record<string, string | Buffer>>;
/** What a journal is, which texts of records are read of it, and which damages are told. */
type Row = [what: string, files: Files, texts: readonly unknown[], damaged?: readonly RegExp[] | number];

const MISSING = /missing/;
const CHANGED = /checksum does not match/;
const NO_JSON = /no JSON/;

const rows: Row[] = [
  // Order and numbers
  ['lines in another order', body(checkedHeader, checked(3), checked(1), checked(2)), ['t3', 't1', 't2']],
  [
    'lines of another program in another order',
    body(header, plainLine(3), plainLine(1), plainLine(2)),
    ['t3', 't1', 't2'],
  ],
  ['a line taken out', body(checkedHeader, checked(1), checked(3)), ['t1', 't3'], [MISSING]],
  ['the first lines taken out', body(checkedHeader, checked(3)), ['t3'], [MISSING]],
  [
    'every second line taken out',
    body(checkedHeader, checked(1), checked(3), checked(5)),
    ['t1', 't3', 't5'],
    [MISSING, MISSING],
  ],
  [
    'a number that leaps',
    body(checkedHeader, checked(1), checked(1_000_000_000)),
    ['t1', 't1000000000'],
    [MISSING],
  ],
  [
    'the largest number there is',
    body(checkedHeader, checked(Number.MAX_SAFE_INTEGER)),
    [`t${Number.MAX_SAFE_INTEGER}`],
    [MISSING],
  ],
  [
    'numbers that are none',
    body(header, plainLine(1, { seq: -1 }), plainLine(2, { seq: 1.5 }), plainLine(3, { seq: '3' })),
    ALL,
  ],
  [
    'a number beyond numbers',
    body(header, plainLine(1).replace('"seq":1', '"seq":1e999'), plainLine(2)),
    ['t1', 't2'],
  ],
  [
    'all with one number',
    body(header, plainLine(1, { seq: 1 }), plainLine(2, { seq: 1 }), plainLine(3, { seq: 1 })),
    ALL,
  ],
  // Ids
  ['a line twice', body(checkedHeader, checked(1), checked(1), checked(2)), ['t1', 't2']],
  ['a line a thousand times', body(checkedHeader, ...Array<string>(1_000).fill(checked(1))), ['t1']],
  [
    'one id with two texts',
    body(header, plainLine(1), plainLine(2, { id: record(1).id })),
    ['t1', 't2'],
    [/id of an earlier record/],
  ],
  [
    'one id with three texts',
    body(header, plainLine(1), plainLine(2, { id: record(1).id }), plainLine(3, { id: record(1).id })),
    ALL,
    [/id of an earlier/, /id of an earlier/],
  ],
  [
    'ids that are none',
    body(header, plainLine(1, { id: '' }), plainLine(2, { id: 5 }), plainLine(3, { id: null })),
    ALL,
  ],
  ['no ids', body(header, plainLine(1, { id: undefined }), plainLine(2, { id: undefined })), ['t1', 't2']],
  [
    'ids of prototypes',
    body(header, plainLine(1, { id: '__proto__' }), plainLine(2, { id: 'constructor' })),
    ['t1', 't2'],
  ],
  [
    'an id of 100,000 characters',
    body(header, plainLine(1, { id: 'x'.repeat(100_000) }), plainLine(2)),
    ['t1', 't2'],
  ],
  // White space and bytes
  ['a mark of the byte order', `\ufeff${body(...three)}`, ALL],
  ['marks of the byte order on each line', body(...three.map((line) => `\ufeff${line}`)), ALL],
  ['two marks of the byte order', `\ufeff\ufeff${body(...three)}`, ALL],
  ['blank lines', `${three.join('\n\n\n')}\n\n\n`, ALL],
  ['lines of blanks', `${three.join('\n  \t \n')}\n   `, ALL],
  ['a blank line before the header', `\n${body(...three)}`, ALL, [/no record/]],
  ['line ends of Windows', three.join('\r\n') + '\r\n', ALL],
  ['line ends of old Macs', three.join('\r') + '\r', ALL, [/.*/]],
  ['mixed line ends', `${three[0]}\n${three[1]}\r\n${three[2]}\n\r\n${three[3]}`, ALL],
  ['blanks at the ends of lines', body(...three.map((line) => `${line}  `)), ALL, 3],
  ['blanks at the beginnings of lines', body(...three.map((line) => `  ${line}`)), ALL, 4],
  ['NULs at the end', `${body(...three)}${'\0'.repeat(4_096)}`, ALL, [/.*/]],
  ['NULs in place of a line', edited(2, (line) => '\0'.repeat(line.length)), ['t1', 't3'], [/no checksum/]],
  ['a NUL within a line', edited(2, (line) => line.replace('t2', 't\0')), ['t1', 't3'], [/.*/]],
  ['UTF-16', Buffer.from(body(...three), 'utf16le'), [], 5],
  [
    'Latin-1 in a line of another program',
    Buffer.concat([
      Buffer.from(`${header}\n${plainLine(1).replace('t1', 't@').split('@')[0]}`),
      Uint8Array.of(0xe9),
      Buffer.from(`${plainLine(1).replace('t1', 't@').split('@')[1]}\n`),
    ]),
    ['t\ufffd'],
  ],
  ['a comma behind each line', body(header, ...[1, 2, 3].map((seq) => `${plainLine(seq)},`)), [], 3],
  ['a list of JSON', `[\n${[1, 2, 3].map((seq) => plainLine(seq)).join(',\n')}\n]\n`, ['t3'], 4],
  [
    'comments',
    body(header, '// by hand', plainLine(1), '# of mine', plainLine(2)),
    ['t1', 't2'],
    [NO_JSON, NO_JSON],
  ],
  [
    'marks of a merge',
    body(header, plainLine(1), '<<<<<<< HEAD', plainLine(2), '=======', plainLine(3), '>>>>>>> other'),
    ALL,
    [NO_JSON, NO_JSON, NO_JSON],
  ],
  ['pretty JSON', `${header}\n${JSON.stringify(record(1), null, 2)}\n`, [], 15],
  // Halves and edits
  ['a half line in the middle', edited(2, (line) => line.slice(0, 60)), ['t1', 't3'], [/.*/]],
  ['a half line at the end', body(...three).slice(0, -40), ['t1', 't2'], [/not written to its end/]],
  [
    'a line that two others are glued to',
    body(checkedHeader, checked(1) + checked(2) + checked(3)),
    ALL,
    [/3 whole records/],
  ],
  ['a text that was edited', edited(2, (line) => line.replace('t2', 'T2')), ['t1', 't3'], [CHANGED]],
  [
    'a checksum that was edited',
    edited(2, (line) => line.replace(/"crc":"./, '"crc":"x')),
    ['t1', 't3'],
    [/.*/],
  ],
  [
    'a checksum that was taken out',
    edited(2, (line) => line.replace(/,"crc":"\w+"/, '')),
    ['t1', 't3'],
    [/no checksum/],
  ],
  ['all checksums taken out', body(header, plainLine(1), plainLine(2)), ['t1', 't2']],
  // Header
  ['no header', body(checked(1), checked(2)), ['t1', 't2'], [/header .* is missing/]],
  ['no header in a journal of another program', body(plainLine(1), plainLine(2)), ['t1', 't2']],
  [
    'a header at the end',
    body(checked(1), checked(2), checkedHeader),
    ['t1', 't2'],
    [/header .* is missing/, /.*/],
  ],
  ['two headers', body(checkedHeader, checkedHeader, checked(1)), ['t1'], [/.*/]],
  ['a header of another conversation', body(header.replace('c1', 'c9'), plainLine(1)), ['t1']],
  ['a header of a later version', body(header.replace('"logbook":1', '"logbook":99'), plainLine(1)), ['t1']],
  [
    'a header whose version is none',
    body(header.replace('"logbook":1', '"logbook":"one"'), plainLine(1)),
    ['t1'],
    [/.*/],
  ],
  [
    'a header whose version is beyond numbers',
    body(header.replace('"logbook":1', '"logbook":1e999'), plainLine(1)),
    ['t1'],
  ],
  ['a header that was edited', body(checkedHeader.replace('c1', 'c2'), checked(1)), ['t1'], [/.*/]],
  ['a header alone', body(checkedHeader), []],
  // Values
  [
    'values of wrong types',
    body(header, plainLine(1, { run: 5, call: null, agent: ['a'], depth: -3, time: 'x', parentCall: {} })),
    ['t1'],
  ],
  [
    'times out of range',
    body(
      header,
      plainLine(1, { time: 9e15 }),
      plainLine(2, { time: -9e15 }),
      plainLine(3).replace(/"time":\d+/, '"time":1e999'),
    ),
    ALL,
  ],
  [
    'a depth out of range',
    body(header, plainLine(1, { depth: 1e300 }), plainLine(2, { depth: 2 ** 53 })),
    ['t1', 't2'],
  ],
  ['a hundred million levels of agents', body(header, plainLine(1, { depth: 100_000_000 })), ['t1']],
  [
    'keys of prototypes',
    body(header, plainLine(1).replace('{"seq"', '{"__proto__":{"type":"callEnd","seq":7},"seq"')),
    ['t1'],
  ],
  ['a key twice', body(header, plainLine(1).replace('{"seq":1', '{"seq":9,"seq":1')), ['t1']],
  [
    'a text of a wrong type',
    body(header, plainLine(1, text(5)), plainLine(2, text({ a: 1 })), plainLine(3, text([null, 1]))),
    [expect.anything(), expect.anything(), expect.anything()],
  ],
  [
    'nesting without end in a message',
    body(header, plainLine(1).replace('"t1"', deep(5_000)), plainLine(2)),
    ['t2'],
    [/.*/],
  ],
  [
    'nesting without end in an unknown field',
    body(header, plainLine(1).replace('{"seq"', `{"x":${deep(5_000)},"seq"`), plainLine(2)),
    ['t2'],
    [/.*/],
  ],
  ['a type that nobody knows', body(header, plainLine(1, { type: 'later', more: 1 })), [expect.anything()]],
  [
    'a type that is none',
    body(header, plainLine(1, { type: 5 }), plainLine(2, { type: undefined })),
    [],
    [/type/, /type/],
  ],
  ['lone surrogates', body(header, plainLine(1, text('\ud800 \udc00'))), ['\ud800 \udc00']],
  [
    'values that are no objects',
    body(header, 'null', '5', '"x"', '[]', 'true', plainLine(1)),
    ['t1'],
    [/.*/, /.*/, /.*/, /.*/, /.*/],
  ],
  // Segments
  [
    'segments that were swapped',
    {
      'messages.jsonl': body(encodeHeader('c1', 1, 1).toString().trimEnd(), checked(3)),
      'messages.2.jsonl': body(checkedHeader, checked(1), checked(2)),
    },
    ['t3', 't1', 't2'],
  ],
  [
    'the first segment gone',
    { 'messages.2.jsonl': body(encodeHeader('c1', 1, 1).toString().trimEnd(), checked(3)) },
    ['t3'],
    [MISSING],
  ],
  [
    'a segment in the middle gone',
    { 'messages.jsonl': body(...three.slice(0, 2)), 'messages.3.jsonl': body(checkedHeader, checked(5)) },
    ['t1', 't5'],
    [MISSING],
  ],
  ['the same segment twice', { 'messages.jsonl': body(...three), 'messages.2.jsonl': body(...three) }, ALL],
  [
    'an empty segment between',
    {
      'messages.jsonl': body(...three.slice(0, 2)),
      'messages.2.jsonl': '',
      'messages.3.jsonl': body(checkedHeader, checked(2)),
    },
    ['t1', 't2'],
  ],
  [
    'segments whose numbers are none',
    {
      'messages.jsonl': body(...three),
      'messages.-1.jsonl': 'x',
      'messages.1e9.jsonl': 'x',
      'messages.02.jsonl': 'x',
    },
    ALL,
  ],
  // Spilled texts
  ['a spilled text that is gone', body(header, plainLine(1, spill())), ['t1']],
  [
    'a spilled text elsewhere',
    body(header, plainLine(1, spill({ path: '../../../../etc/passwd' }))),
    [expect.anything()],
  ],
  [
    'a spilled text at an absolute path',
    body(header, plainLine(1, spill({ path: '/etc/passwd' }))),
    [expect.anything()],
  ],
  [
    'spilled texts that are none',
    body(
      header,
      plainLine(1, { spill: 5 }),
      plainLine(2, { spill: [null, 5, {}] }),
      plainLine(3, spill({ bytes: -1, sha256: 'x' })),
    ),
    [expect.anything(), expect.anything(), expect.anything()],
  ],
  [
    'an index of another journal',
    { 'messages.jsonl': body(...three), 'index.bin': Buffer.alloc(4_096, 7) },
    ALL,
  ],
];

async function storeWith(files: Files) {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c0');
  journal.append(recordOf(1, said('another'), 'c0'));
  await journal.close();
  const folder = join(made.root, 'conversations', 'c1');
  const named: Readonly<Record<string, string | Buffer>> =
    typeof files === 'string' || Buffer.isBuffer(files) ? { 'messages.jsonl': files } : files;
  for (const [name, bytes] of Object.entries(named)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const journals = async () =>
    Promise.all(
      Object.keys(named)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => readFile(join(folder, name))),
    );
  return { ...made, folder, journals };
}

async function read(store: TranscriptStore) {
  const transcript = await store.openTranscript('c1');
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  const texts = records.map((one) => {
    const { message, why } = one as { message?: { content?: unknown }; why?: unknown };
    return message?.content ?? why ?? one.type;
  });
  return { records, texts, damaged: transcript.damaged.map(({ why }) => why) };
}

/** Whatever shows records takes these. */
function expectShown(records: readonly ReadRecord[]): void {
  const query = new MessageQuery(records);
  query.filter({ text: 't', errorsOnly: false });
  expect(() => JSON.stringify([query.stats(), query.toolSummary(), query.timeline()])).not.toThrow();
  for (const format of ['json', 'markdown', 'csv', 'html', 'dict'] as const)
    expect(exportMessages(records, format, { full: true })).toBeDefined();
}

test.each(rows)('a journal with %s', async (_, files, texts, damaged = []) => {
  const { store, journals, folder } = await storeWith(files);
  const before = await journals();
  const found = await read(store);
  expect(found.texts).toEqual(texts);
  if (typeof damaged === 'number') expect(found.damaged).toHaveLength(damaged);
  else expect(found.damaged).toEqual(damaged.map((why) => expect.stringMatching(why) as string));
  for (const { seq, time, depth, conversation } of found.records) {
    expect([Number.isSafeInteger(seq), Number.isFinite(time), Number.isSafeInteger(depth)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(conversation).toBe('c1');
  }
  expectShown(found.records);
  // The catalog counts the same, reading again gives the same, and nothing was written.
  await store.catalog.refresh();
  const entry = store.catalog.entries().find(({ conversation }) => conversation === 'c1');
  if (entry || texts.length > 0) expect(entry?.damaged).toBe(found.damaged.length);
  expect((await read(store)).texts).toEqual(found.texts);
  expect(await journals()).toEqual(before);
  // Continuing it hides nothing that was there, or says why it cannot be continued.
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) {
    expect(resumed.refused).toMatch(/\w \w/);
    return;
  }
  const seq = resumed.lastSeq + 1;
  resumed.journal.append(recordOf(seq, said('new')));
  await resumed.journal.close();
  expect((await read(store)).texts).toEqual([...found.texts, 'new']);
  expect((await readdir(folder)).filter((name) => name.startsWith('messages')).length).toBeGreaterThan(0);
});

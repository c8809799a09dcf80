import { appendFile, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { encodeHeader, FORMAT } from '../../../src/store/format/journalHeader.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { lockConversation } from '../../../src/store/write/conversationLock.js';
import { isDeep } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { soon } from '../../support/soon.js';

const header = (more: object = {}) => JSON.stringify({ logbook: FORMAT, conversation: 'c1', ...more });
const checkedHeader = encodeHeader('c1', 1, 0).toString().trimEnd();
const line = (seq: number, text = `text ${seq}`) => JSON.stringify(recordOf(seq, said(text)));
const checked = (seq: number, text = `text ${seq}`) => encodeLine(recordOf(seq, said(text))).toString();

/** A store in which somebody has put the journal of `c1`; its bytes are as given. */
async function storeWith(...parts: readonly (string | Buffer)[]) {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c0');
  journal.append(recordOf(1, said('another'), 'c0'));
  await journal.close();
  const folder = join(made.root, 'conversations', 'c1');
  await mkdir(folder);
  const path = join(folder, 'messages.jsonl');
  await writeFile(path, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  return { ...made, folder, path };
}

/** The contents of all records, or why they cannot be read; and what is damaged. */
async function read(store: TranscriptStore) {
  const transcript = await store.openTranscript('c1');
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  const texts = records.map((record) => {
    const { message, why } = record as { message?: { content?: unknown }; why?: unknown };
    return message?.content ?? why ?? record.type;
  });
  return { texts, damaged: transcript.damaged.map(({ why }) => why) };
}

async function resume(store: TranscriptStore) {
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  return resumed;
}

test('one bad line hides no other, is counted, and stays where it is', async () => {
  const { store, path } = await storeWith(
    [header(), line(1), '{"seq":2,"id', line(3), '<<<<<<< HEAD', line(4), ''].join('\n'),
  );
  const before = await readFile(path);
  expect(await read(store)).toEqual({
    texts: ['text 1', 'text 3', 'text 4'],
    damaged: ['no JSON', 'no JSON'],
  });
  await store.catalog.refresh();
  expect(store.catalog.entries()).toContainEqual(
    expect.objectContaining({ conversation: 'c1', messages: 3, damaged: 2 }),
  );
  const { journal } = await resume(store);
  journal.append(recordOf(5, said('text 5')));
  await journal.close();
  expect((await readFile(path)).subarray(0, before.length)).toEqual(before);
  expect((await read(store)).texts).toEqual(['text 1', 'text 3', 'text 4', 'text 5']);
});

test('a truncated end is moved aside before the next record, and told', async () => {
  const { store, folder, problems } = await storeWith(
    [checkedHeader, checked(1), checked(2).slice(0, -30)].join('\n'),
  );
  expect(await read(store)).toEqual({
    texts: ['text 1'],
    damaged: ['not written to its end'],
  });
  const { journal, lastSeq } = await resume(store);
  expect(lastSeq).toBe(1);
  expect(problems).toMatchObject([{ code: 'ETRUNCATED', conversation: 'c1' }]);
  const [kept = ''] = await readdir(join(folder, 'quarantine'));
  expect(await readFile(join(folder, 'quarantine', kept), 'utf8')).toBe(checked(2).slice(0, -30));
  journal.append(recordOf(2, said('again')));
  await journal.close();
  expect(await read(store)).toEqual({ texts: ['text 1', 'again'], damaged: [] });
});

test.each([
  ['with a checksum', checkedHeader, checked],
  ['of another program', header(), line],
])(
  'a last record %s that only lacks its newline is read, and continued on a line of its own',
  async (_, head, make) => {
    const { store, problems, path } = await storeWith([head, make(1), make(2)].join('\n'));
    expect(await read(store)).toEqual({ texts: ['text 1', 'text 2'], damaged: [] });
    const { journal, lastSeq } = await resume(store);
    expect(lastSeq).toBe(2);
    journal.append(recordOf(3, said('text 3')));
    await journal.close();
    expect(problems).toEqual([]);
    expect(await read(store)).toEqual({ texts: ['text 1', 'text 2', 'text 3'], damaged: [] });
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(5);
  },
);

test('records that were glued to a truncated one, or to each other, are found', async () => {
  const { store } = await storeWith(
    [
      checkedHeader,
      `${checked(1).slice(0, 70)}${checked(2)}`,
      `${checked(3)}\u0000${checked(4)}`,
      checked(5),
      '',
    ].join('\n'),
  );
  const { texts, damaged } = await read(store);
  expect(texts).toEqual(['text 2', 'text 3', 'text 4', 'text 5']);
  expect(damaged).toHaveLength(2);
});

test.each([
  ['an empty file', '', []],
  ['NUL bytes only', Buffer.alloc(5000), []],
  ['a header alone', header(), []],
  ['half a header', header().slice(0, 12), []],
  ['no header', `${line(1)}\n`, ['text 1']],
  ['a record of NUL bytes at the end', `${checkedHeader}\n${checked(1)}\n${'\0'.repeat(4096)}`, ['text 1']],
  ['carriage returns', `${checkedHeader}\r\n${checked(1)}\r\n\r\n${checked(2)}\r\n`, ['text 1', 'text 2']],
  ['a byte order mark', `\ufeff${header()}\n${line(1)}\n`, ['text 1']],
  ['a byte order mark before a record', `\ufeff${line(1)}\n`, ['text 1']],
  [
    'line separators inside of texts',
    `${header()}\n${line(1, 'a\u2028b\u2029c\rd')}\n`,
    ['a\u2028b\u2029c\rd'],
  ],
  ['a NUL inside of a text', `${header()}\n${line(1, 'a\0b')}\n`, ['a\0b']],
  ['blank lines', `${header()}\n\n\n${line(1)}\n\n`, ['text 1']],
  ['lines of blanks', `${header()}\n \n\t  \r\n${line(1)}\n `, ['text 1']],
  [
    'byte order marks before later lines',
    `${header()}\n\ufeff${line(1)}\n\ufeff${line(2)}`,
    ['text 1', 'text 2'],
  ],
  ['a record twice', `${header()}\n${line(1)}\n${line(1)}\n${line(2)}\n`, ['text 1', 'text 2']],
  [
    'one id with different contents',
    `${header()}\n${line(1)}\n${line(1, 'twin')}\n${line(2)}\n${line(1, 'twin')}\n`,
    ['text 1', 'twin', 'text 2'],
  ],
])('%s is read as well as it goes, and continued', async (_, content, expected) => {
  const { store } = await storeWith(content);
  expect((await read(store)).texts).toEqual(expected);
  const { journal } = await resume(store);
  journal.append({ ...recordOf(99, said('new')), id: 'm_new' });
  await journal.close();
  expect((await read(store)).texts).toEqual([...expected, 'new']);
});

/** What is damaged in a journal of these parts, with its place; and how many damages the catalog counts. */
async function damages(...parts: readonly (string | Buffer)[]) {
  const { store } = await storeWith(...parts);
  const transcript = await store.openTranscript('c1');
  await store.catalog.refresh();
  const entry = store.catalog.entries().find(({ conversation }) => conversation === 'c1');
  const found = transcript.damaged.map(({ file, line: at, why }) => `${file}:${at} ${why}`);
  expect(entry?.damaged).toBe(found.length);
  return found;
}

const repeated = 'it has the id of an earlier record and other content; both are shown';

test.each([
  ['blanks', [checkedHeader, checked(1), '   ', '\t', checked(2), ''], []],
  ['a byte order mark before a later line', [checkedHeader, `\ufeff${checked(1)}`, ''], []],
  ['a copy of a record', [checkedHeader, checked(1), checked(2), checked(1), ''], []],
  ['no header where no line has a checksum', [line(1), line(5), ''], []],
  [
    'an id that is repeated with other content',
    [checkedHeader, checked(1), checked(2), checked(1, 'twin'), ''],
    [`messages.jsonl:4 ${repeated}`],
  ],
  [
    'a header that is gone',
    [checked(1), checked(2), ''],
    ['messages.jsonl:1 the header that stood before this line is missing'],
  ],
  [
    'a first record that is gone',
    [checkedHeader, checked(2), ''],
    ['messages.jsonl:2 record 1 is missing here'],
  ],
  [
    'records that are gone from the middle',
    [checkedHeader, checked(1), '', checked(5), checked(6), checked(8), ''],
    ['messages.jsonl:4 records 2 to 4 are missing here', 'messages.jsonl:6 record 7 is missing here'],
  ],
  [
    'a damaged line, which explains the gap that it leaves',
    [checkedHeader, checked(1), checked(2).replace('text', 'test'), checked(3), ''],
    ['messages.jsonl:3 changed after it was written: its checksum does not match'],
  ],
])('%s: what is damaged is counted with its place, and nothing else', async (_, lines, expected) => {
  expect(await damages(lines.join('\n'))).toEqual(expected);
});

test('what a later file brings again is not missing', async () => {
  const { store, folder } = await storeWith([checkedHeader, checked(1), checked(5), ''].join('\n'));
  await writeFile(
    join(folder, 'messages.2.jsonl'),
    [encodeHeader('c1', 1, 1).toString().trimEnd(), checked(2), checked(4), checked(5), ''].join('\n'),
  );
  const { texts } = await read(store);
  expect(texts).toEqual(['text 1', 'text 5', 'text 2', 'text 4']);
  const transcript = await store.openTranscript('c1');
  expect(transcript.damaged).toMatchObject([
    { file: 'messages.jsonl', line: 3, why: 'record 3 is missing here' },
  ]);
});

test('what is damaged is the same from the stored index as from the files', async () => {
  const many = Array.from({ length: 2500 }, (_, at) => checked(at + 3));
  const { store, folder, root } = await storeWith(
    [checkedHeader, checked(1), ...many, checked(1, 'twin'), 'x', ''].join('\n'),
  );
  const first = await store.openTranscript('c1');
  const expected = [...first.damaged];
  expect(expected.map(({ line: at }) => at)).toEqual([2503, 2504, 3]);
  await first.close();
  await expect.poll(() => readdir(folder)).toContain('index.bin');
  const again = await temporaryStore({ root });
  const second = await again.store.openTranscript('c1');
  expect(second.damaged).toEqual(expected);
  expect(second.length).toBe(first.length);
});

test('what another process appends is damaged in the same places for the catalog and the transcript', async () => {
  const { store, path } = await storeWith([checkedHeader, checked(1), ''].join('\n'));
  await store.catalog.refresh();
  await appendFile(path, [checked(2), checked(1, 'twin'), checked(5), 'x', ''].join('\n'));
  await store.catalog.refresh();
  const transcript = await store.openTranscript('c1');
  expect(transcript.damaged).toHaveLength(3);
  expect(store.catalog.entries().find(({ conversation }) => conversation === 'c1')).toMatchObject({
    damaged: 3,
    messages: 4,
  });
});

test('invalid UTF-8 in a line of another program is shown with marks; the file is not touched', async () => {
  const bytes = Buffer.from(line(1, 'a?b'));
  bytes[bytes.indexOf('?')] = 0xff;
  const { store, path } = await storeWith(`${header()}\n`, bytes, `\n${line(2)}\n`);
  expect((await read(store)).texts).toEqual(['a\ufffdb', 'text 2']);
  expect(await readFile(path)).toContain(0xff);
});

test('a changed byte under a checksum is never taken for right', async () => {
  const { store } = await storeWith(
    [checkedHeader, checked(1), checked(2).replace('text', 'test'), checked(3), ''].join('\n'),
  );
  const { texts, damaged } = await read(store);
  expect(texts).toEqual(['text 1', 'text 3']);
  expect(damaged).toEqual([expect.stringContaining('checksum') as string]);
});

test('a line without checksum in a journal whose lines have one is damaged', async () => {
  const { store } = await storeWith([checkedHeader, line(1), checked(2), ''].join('\n'));
  expect((await read(store)).texts).toEqual(['text 2']);
});

test('nesting that would overflow others is kept as text', async () => {
  const deep = (depth: number) => `${line(1).slice(0, -1)},"extra":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const { store } = await storeWith([header(), deep(50_000), deep(100).replace('m_', 'n_'), ''].join('\n'));
  const { texts, damaged } = await read(store);
  expect(texts).toEqual(['text 1']);
  expect(damaged).toEqual([expect.stringContaining('nested deeper') as string]);
});

test('keys that name prototypes change nothing', async () => {
  const evil = line(1).replace(
    '"type"',
    '"__proto__":{"isError":true},"constructor":{"prototype":{"polluted":1}},"type"',
  );
  const { store } = await storeWith([header(), evil, ''].join('\n'));
  const transcript = await store.openTranscript('c1');
  const [record] = await transcript.read(0, 1);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect((record as { isError?: unknown }).isError).toBeUndefined();
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
});

test('unknown types and fields are read as they are, and survive', async () => {
  const odd = `{"seq":1,"id":"x","time":5,"conversation":"c1","run":"r","call":"k","agent":"a","depth":0,"type":"dream","of":{"b":1,"a":[null]}}`;
  const extra = line(2).replace('"type"', '"mood": "  good","type"');
  const { store, path } = await storeWith([header({ mood: 1 }), odd, extra, ''].join('\n'));
  const transcript = await store.openTranscript('c1');
  expect(await transcript.read(0, 2)).toMatchObject([
    { type: 'dream', of: { b: 1, a: [null] } },
    { mood: '  good' },
  ]);
  const { journal } = await resume(store);
  journal.append(recordOf(3, said('new')));
  await journal.close();
  expect(await readFile(path, 'utf8')).toContain(`${odd}\n${extra}\n`);
});

test('a newer format is read, and not written', async () => {
  const { store, path } = await storeWith([header({ logbook: FORMAT + 1 }), line(1), ''].join('\n'));
  const before = await readFile(path);
  expect((await read(store)).texts).toEqual(['text 1']);
  expect(await store.resumeConversation('c1')).toEqual({
    refused: expect.stringContaining('newer version') as string,
  });
  expect(await store.rename('c1', 'x')).toHaveProperty('refused');
  expect(await readFile(path)).toEqual(before);
});

test('a journal that another version continued in a newer format is not written, also where its index is kept', async () => {
  const lines = Array.from({ length: 2500 }, (_, at) => line(at + 1));
  const { store, folder } = await storeWith([header(), ...lines, ''].join('\n'));
  const newer = join(folder, 'messages.2.jsonl');
  await writeFile(newer, `${header({ logbook: FORMAT + 1 })}\n${line(2501)}\n`);
  expect((await read(store)).texts).toHaveLength(2501);
  await soon(async () => expect(await readdir(folder)).toContain('index.bin'));
  expect(await store.resumeConversation('c1')).toEqual({
    refused: expect.stringContaining(`(format ${FORMAT + 1})`) as string,
  });
});

test('a journal of an older format goes on in a file of its own', async () => {
  const { store, path, folder } = await storeWith(`${header({ logbook: 1 })}\n${line(1)}\n`);
  const before = await readFile(path);
  const injected = [{ from: 0, to: 3, kind: 'reminder' }] as const;
  for (const seq of [2, 3]) {
    const { journal } = await resume(store);
    journal.append(recordOf(seq, { ...said('new words'), injected }));
    await journal.close();
  }
  expect(await readFile(path)).toEqual(before);
  expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
  const [first = '', ...rest] = (await readFile(join(folder, 'messages.2.jsonl'), 'utf8')).split('\n');
  expect(JSON.parse(first)).toMatchObject({ logbook: FORMAT, segment: 1 });
  expect(rest.slice(0, 2).map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { seq: 2, injected },
    { seq: 3, injected },
  ]);
  expect((await read(store)).texts).toEqual(['text 1', 'new words', 'new words']);
});

test.each([
  ['numbers and times', { seq: -1, time: 1e300, depth: 'deep' }, { seq: 1, time: 0, depth: 0 }],
  [
    'a header of nothing',
    { seq: null, id: 7, run: {}, call: [], agent: null },
    { seq: 1, id: 'line-1', run: '', agent: '' },
  ],
  ['another conversation', { conversation: '../../etc' }, { conversation: 'c1' }],
  ['no role', { message: { content: 'x' } }, { type: 'unreadable', why: 'a message of an unknown role' }],
  ['calls that are none', { message: { role: 'assistant', tool_calls: [null] } }, { type: 'unreadable' }],
  ['parts that are none', { message: { role: 'user', content: [1] } }, { type: 'unreadable' }],
  ['a body of another form', { type: 'callEnd' }, { type: 'unreadable' }],
])('a record with %s is read without harm', async (_, change, expected) => {
  const { store } = await storeWith(
    `${header()}\n${JSON.stringify({ ...recordOf(1, said('x')), ...change })}\n`,
  );
  const transcript = await store.openTranscript('c1');
  expect(await transcript.read(0, 1)).toMatchObject([expected]);
  await store.catalog.refresh();
  expect(store.catalog.entries()).toHaveLength(2);
});

test.runIf(isDeep)('a line too large to be shown is passed over in pieces', async () => {
  const { store } = await storeWith(
    `${header()}\n${line(1)}\n`,
    Buffer.alloc(65 * 1024 * 1024, 'x'),
    `\n${line(2)}\n`,
  );
  const { texts, damaged } = await read(store);
  expect(texts).toEqual(['text 1', 'text 2']);
  expect(damaged).toEqual(['too large to be shown']);
});

test.each(['conversations', 'conversations/c1', 'conversations/c1/messages.jsonl'])(
  'a link as %s is refused',
  async (place) => {
    const { store, root } = await storeWith(`${header()}\n${line(1)}\n`);
    const path = join(root, ...place.split('/'));
    await rename(path, `${path}-real`);
    await symlink(`${path}-real`, path);
    await expect(store.openTranscript('c1')).rejects.toThrow();
    expect(await store.resumeConversation('c1')).toHaveProperty('refused');
    await store.catalog.refresh();
  },
);

test('an end that is not whole is damage in the list and in the transcript alike, once nobody writes it', async () => {
  const { store, root } = await storeWith([header(), line(1), '{"seq":2,"id'].join('\n'));
  const acquired = await lockConversation(pathsOf(root, 'c1'));
  if ('refused' in acquired) throw new Error(acquired.refused);
  const counts = async () => {
    await store.catalog.refresh();
    const listed = store.catalog.entries().find(({ conversation }) => conversation === 'c1');
    return [listed?.damaged, (await read(store)).damaged.length];
  };
  expect(await counts()).toEqual([0, 0]);
  await acquired.lock.release();
  expect(await counts()).toEqual([1, 1]);
});

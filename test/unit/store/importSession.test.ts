import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { type TranscriptStore, lockSession } from '../../../src/store/transcriptStore.js';
import type { ImportedSession } from '../../../src/store/write/importSession.js';
import { readRow } from '../../../src/store/catalog/readRow.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { importConversation } from '../../../src/store/write/importConversation.js';
import { saveDelay } from '../../../src/store/catalog/catalogCache.js';
import { countedSyncs } from '../../support/countedSyncs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const LARGE = 'y'.repeat(60_000);

/** A record as an importer makes it. */
const imported = (seq: number, text: string, time = 1_790_000_000_000 + seq): LogRecord => ({
  ...recordOf(seq, said(text, seq === 1 ? 'user' : 'assistant'), 'session'),
  id: `m${seq}`,
  time,
});

/** A session with these texts. */
function sessionOf(
  texts: readonly string[],
  source: Partial<ImportedSession['source']> = {},
): ImportedSession {
  return {
    source: { tool: 'a-tool', session: 's1', path: '/logs/s1.jsonl', title: texts[0] ?? '', ...source },
    records: texts.map((text, at) => imported(at + 1, text)),
  };
}

async function texts(store: TranscriptStore, conversation: string): Promise<unknown[]> {
  const transcript = await store.openTranscript(conversation);
  const records = await transcript.read(0, transcript.length);
  expect(transcript.damaged).toEqual([]);
  await transcript.close();
  return records.map(
    (record) => (record as { message?: { content?: unknown } }).message?.content ?? record.type,
  );
}

test('an import is listed with its source and its title, and no renaming is invented', async () => {
  const { store } = await temporaryStore();
  const { kind, conversation } = await store.importSession(sessionOf(['Why?', 'Because.']));
  expect(kind).toBe('new');
  expect(store.catalog.entries()).toMatchObject([
    {
      conversation,
      title: 'Why?',
      messages: 2,
      source: 'a-tool',
      origin: { tool: 'a-tool', session: 's1', path: '/logs/s1.jsonl' },
    },
  ]);
  expect(await texts(store, conversation)).toEqual(['Why?', 'Because.']);
});

test('an import is listed with the project that its log names, after a restart too', async () => {
  const { store, root } = await temporaryStore();
  await store.importSession(sessionOf(['Why?'], { project: 'shop' }));
  expect(store.catalog.entries()).toMatchObject([{ project: 'shop' }]);
  await store.close();
  const again = (await temporaryStore({ root })).store;
  await again.catalog.refresh();
  expect(again.catalog.entries()).toMatchObject([{ project: 'shop', origin: { project: 'shop' } }]);
});

test('importing a file again changes nothing, in this window and after a restart', async () => {
  const { store, root } = await temporaryStore();
  const session = sessionOf(['Why?', LARGE, 'Because.']);
  const { conversation } = await store.importSession(session);
  const before = await readFile(await store.journalPath(conversation));
  expect(await store.importSession(session)).toEqual({ kind: 'unchanged', conversation, added: 0 });
  await store.close();
  const again = (await temporaryStore({ root })).store;
  expect(await again.importSession(session)).toEqual({ kind: 'unchanged', conversation, added: 0 });
  expect(await readFile(await again.journalPath(conversation))).toEqual(before);
  expect(await readdir(join(root, 'conversations'))).toHaveLength(1);
});

test('what a file has gained is added to its conversation, large texts too', async () => {
  const { store } = await temporaryStore();
  const { conversation } = await store.importSession(sessionOf(['Why?', 'Because.']));
  const grown = sessionOf(['Why?', 'Because.', 'And?', LARGE]);
  expect(await store.importSession(grown)).toEqual({ kind: 'grown', conversation, added: 2 });
  expect(await store.importSession(grown)).toEqual({ kind: 'unchanged', conversation, added: 0 });
  expect(await texts(store, conversation)).toEqual(['Why?', 'Because.', 'And?', LARGE.slice(0, 500)]);
  expect(store.catalog.entries()).toMatchObject([{ messages: 4, title: 'Why?', origin: { session: 's1' } }]);
});

test('a conversation that was renamed here grows all the same', async () => {
  const { store } = await temporaryStore();
  const { conversation } = await store.importSession(sessionOf(['Why?', 'Because.']));
  expect(await store.rename(conversation, 'Mine')).toEqual({});
  const outcome = await store.importSession(sessionOf(['Why?', 'Because.', 'And?']));
  expect(outcome).toEqual({ kind: 'grown', conversation, added: 1 });
  const more = await store.importSession(sessionOf(['Why?', 'Because.', 'And?', 'So.']));
  expect(more).toEqual({ kind: 'grown', conversation, added: 1 });
  expect(await texts(store, conversation)).toEqual(['Why?', 'Because.', 'title', 'And?', 'So.']);
  expect(store.catalog.entries()).toMatchObject([{ title: 'Mine' }]);
});

test.each([
  ['changed in its middle', ['Why?', 'Because I say so.', 'And?']],
  ['changed from its beginning on', ['What?', 'That.']],
])('of a file that %s, a new version is stored and the old one is kept', async (_, now) => {
  const { store } = await temporaryStore();
  const first = await store.importSession(sessionOf(['Why?', 'Because.', 'And?']));
  const second = await store.importSession(sessionOf(now));
  expect(second).toMatchObject({ kind: 'changed', added: now.length });
  expect(await texts(store, first.conversation)).toEqual(['Why?', 'Because.', 'And?']);
  expect(await texts(store, second.conversation)).toEqual(now);
  const entry = store.catalog.entries().find(({ conversation }) => conversation === second.conversation);
  expect(entry?.origin).toMatchObject({ version: 2, session: 's1' });
  expect(await store.importSession(sessionOf(now))).toMatchObject({
    kind: 'unchanged',
    conversation: second.conversation,
  });
  expect(await store.importSession(sessionOf([...now, 'More.']))).toMatchObject({
    kind: 'grown',
    conversation: second.conversation,
  });
});

test('what older readers made of a file is read anew, and what is the same stays', async () => {
  const { store } = await temporaryStore();
  const first = await store.importSession(sessionOf(['Why?', 'Because.']));
  expect(await store.importSession(sessionOf(['Why?', 'Because.'], { reader: 2 }))).toMatchObject({
    kind: 'unchanged',
  });
  const anew = await store.importSession(sessionOf(['Why?', 'Because!'], { reader: 2 }));
  expect(anew).toMatchObject({ kind: 'reread', added: 2 });
  const origins = store.catalog.entries().map(({ conversation, origin }) => [conversation, origin?.reader]);
  expect(Object.fromEntries(origins)).toEqual({ [first.conversation]: undefined, [anew.conversation]: 2 });
  expect(await store.importSession(sessionOf(['Why?', 'No.'], { reader: 2 }))).toMatchObject({
    kind: 'changed',
  });
});

test('a conversation of which newer readers make the same says so, also once its catalog is made anew', async () => {
  const { store, root } = await temporaryStore();
  const { conversation } = await store.importSession(sessionOf(['Why?', 'Because.']));
  const reader = (of: TranscriptStore) => of.catalog.entries().map(({ origin }) => origin?.reader);
  const report = {
    path: '/logs/s1.jsonl',
    format: 'codex',
    readWith: [],
    problems: [],
    problemCount: 0,
    conversations: 1,
    records: 2,
    readAt: 1,
  };
  await store.importSession(sessionOf(['Why?', 'Because.'], { reader: 3 }));
  await store.keepImportReport(conversation, { ...report, reader: 3 });
  expect(reader(store)).toEqual([3]);
  expect(await store.importReport(conversation)).toBeUndefined();
  // What is read once more by the same readers is no news.
  await store.keepImportReport(conversation, { ...report, reader: 3 });
  await store.close();
  await rm(join(root, 'state', 'catalog.json'), { force: true });
  const { store: again } = await temporaryStore({ root });
  await again.catalog.refresh();
  expect(reader(again)).toEqual([3]);
  // What older readers read then takes nothing back.
  await again.keepImportReport(conversation, { ...report, reader: 2 });
  expect(reader(again)).toEqual([3]);
});

test('two files with one id and nothing else in common are two conversations', async () => {
  const { store } = await temporaryStore();
  const first = await store.importSession(sessionOf(['Why?', 'Because.']));
  const other = await store.importSession(sessionOf(['Who?', 'Me.'], { path: '/elsewhere/s1.jsonl' }));
  expect(other.kind).toBe('namesake');
  expect(other.conversation).not.toBe(first.conversation);
  expect(await texts(store, first.conversation)).toEqual(['Why?', 'Because.']);
  expect(await texts(store, other.conversation)).toEqual(['Who?', 'Me.']);
  const third = await store.importSession(sessionOf(['Why?', 'Because.'], { tool: 'another' }));
  expect(third.kind).toBe('new');
});

test('a copy of the file elsewhere is the same session', async () => {
  const { store } = await temporaryStore();
  const { conversation } = await store.importSession(sessionOf(['Why?', 'Because.']));
  const moved = sessionOf(['Why?', 'Because.', 'And?'], { path: '/copies/s1.jsonl' });
  expect(await store.importSession(moved)).toEqual({ kind: 'grown', conversation, added: 1 });
});

test('an import without times and without anything that counts as a message is listed and opens', async () => {
  const { store, root } = await temporaryStore();
  const record = { ...imported(1, 'x', 0), type: 'imported', kind: 'step', message: undefined };
  const { conversation } = await store.importSession({
    source: { tool: 'a-tool', session: 'timeless' },
    records: [record],
  });
  const entries = [{ conversation, title: 'timeless', messages: 0, startedAt: 0 }];
  expect(store.catalog.entries()).toMatchObject(entries);
  const again = (await temporaryStore({ root })).store;
  await again.catalog.refresh();
  expect(again.catalog.entries()).toMatchObject(entries);
  expect(await texts(again, conversation)).toEqual(['imported']);
});

test('an import of an earlier version, which ended in an invented renaming, keeps its prompt as its title', async () => {
  const { store } = await temporaryStore();
  const last = { ...imported(2, ''), type: 'title', id: 'm1-title', title: '<environment_context>' };
  await store.importConversation('old', [imported(1, 'Why?'), last as unknown as LogRecord]);
  expect(store.catalog.entries()).toMatchObject([{ title: 'Why?' }]);
});

test('an import looks at the files of no conversation, not even of its own, however many there are', async () => {
  const { store } = await temporaryStore();
  const looks = async (from: number, to: number) => {
    const catalog = store.catalog as unknown as { looks: number };
    const before = catalog.looks;
    for (let at = from; at < to; at++) await store.importSession(sessionOf(['Why?'], { session: `s${at}` }));
    return catalog.looks - before;
  };
  expect(await looks(0, 20)).toBe(0);
  expect(await looks(20, 120)).toBe(0);
  expect(store.catalog.entries()).toHaveLength(120);
});

test.skipIf(process.platform === 'win32')(
  'one import waits for the disk for its file, its folder, and the two folders above it',
  async () => {
    const { store } = await temporaryStore();
    await store.importSession(sessionOf(['Why?'], { session: 'first' }));
    const counts = await countedSyncs();
    for (let at = 0; at < 5; at++) await store.importSession(sessionOf(['Why?'], { session: `s${at}` }));
    expect(counts).toEqual({ files: 5, folders: 15 });
  },
);

test('sessions that are imported at the same time into a store that nobody has read look through it once', async () => {
  const { store, root } = await temporaryStore();
  await store.importSession(sessionOf(['Why?'], { session: 'before' }));
  await store.close();
  const again = (await temporaryStore({ root })).store;
  const sessions = Array.from({ length: 30 }, (_, at) => sessionOf(['Why?'], { session: `s${at}` }));
  await Promise.all(sessions.map((session) => again.importSession(session)));
  expect(again.catalog.entries()).toHaveLength(31);
  expect((again.catalog as unknown as { looks: number }).looks).toBe(1);
});

test('one session that is imported twice at the same time is one conversation', async () => {
  const { store } = await temporaryStore();
  const outcomes = await Promise.all([1, 2, 3].map(() => store.importSession(sessionOf(['Why?']))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['new', 'unchanged', 'unchanged']);
  expect(store.catalog.entries()).toHaveLength(1);
});

test('hostile sources in a header do no harm', async () => {
  const { store, root } = await temporaryStore();
  const source = { tool: 't'.repeat(9999), session: '\u0000'.repeat(9999), path: 'p'.repeat(99_999) };
  const { conversation } = await store.importSession(sessionOf(['Why?'], source));
  const again = (await temporaryStore({ root })).store;
  await again.catalog.refresh();
  expect(again.catalog.entries()).toMatchObject([{ conversation, messages: 1, damaged: 0 }]);
  expect(again.catalog.entries()[0]?.origin?.path).toBeUndefined();
});

test('what storing the catalog costs each of many imports does not grow with their number', () => {
  /** How many rows are stored in all while so many imports come, a hundred in a second. */
  const storedFor = (imports: number): number => {
    let stored = 0;
    for (let ms = 0; ms < imports * 10;) {
      ms += saveDelay(ms / 10);
      stored += ms / 10;
    }
    return stored;
  };
  expect(storedFor(20_000) / 20_000).toBeLessThan((storedFor(2_000) / 2_000) * 3);
});

/** The row for the catalog that writing records gives, and the one that reading them gives. */
async function rowsOf(records: readonly object[]) {
  const { root } = await temporaryStore();
  const paths = pathsOf(root, 'c1', 'c1');
  const source = { tool: 'a-tool', session: 's1', title: 'Why?' };
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const written = await importConversation(
    paths,
    records.map((record, at) => ({ ...imported(at + 1, 'x'), ...record, conversation: 'c1' })),
    { created: 1, log, source },
  );
  return { written, read: await readRow(paths, undefined) };
}

test('what an import knows of what it wrote is what reading it says', async () => {
  const usage = { inputTokens: 10, outputTokens: 5, estimated: false };
  const call = { id: 't1', type: 'function', function: { name: 'ls', arguments: '{}' } };
  const { written, read } = await rowsOf([
    { message: { role: 'user', content: 'Why?' } },
    { message: { role: 'assistant', content: null, tool_calls: [call] }, model: 'm', usage },
    { message: { role: 'tool', tool_call_id: 't1', content: LARGE }, isError: true, durationMs: 3 },
    { type: 'imported', kind: 'event', value: { at: 'x', more: LARGE }, message: undefined },
    { type: 'dispatch', target: 'Finder', task: 'look', toolCallId: 't1', childCall: 'k2' },
    { call: 'k2', parentCall: 'k1', agent: 'Finder', depth: 1, time: 0 },
    { type: 'title', title: 'A cake' },
  ]);
  expect(read?.summary.records).toBe(7);
  expect(written).toEqual(read);
});

test.each([
  ['whose shape is not that of its type', { type: 'message', message: 'no message' }],
  ['that is no JSON', { message: { role: 'user', content: 'big' }, source: { big: 1n } }],
  ['without an agent', { agent: 7 }],
  ['whose place is taken', { seq: 1 }],
])('what only reading can tell is read: a record %s', async (_, record) => {
  const { written, read } = await rowsOf([{}, record]);
  expect(read?.stamps).toHaveLength(1);
  expect(written).toBeUndefined();
});

test('a file that was cut, or copied before it had grown, makes no further conversation', async () => {
  const { store, root } = await temporaryStore();
  const { conversation } = await store.importSession(sessionOf(['Why?', 'Because.', 'And?']));
  const cut = sessionOf(['Why?', 'Because.'], { path: '/copies/s1.jsonl' });
  expect(await store.importSession(cut)).toEqual({ kind: 'unchanged', conversation, added: 0 });
  expect(await readdir(join(root, 'conversations'))).toHaveLength(1);
});

test('two stores that import a session at the same moment make one conversation of it', async () => {
  const { store, root } = await temporaryStore();
  const other = (await temporaryStore({ root })).store;
  for (let at = 0; at < 5; at++) {
    const session = sessionOf(['Why?', 'Because.'], { session: `s${at}`, path: `/logs/s${at}.jsonl` });
    const grown = sessionOf(['Why?', 'Because.', 'And?'], session.source);
    const outcomes = await Promise.all([store.importSession(session), other.importSession(session)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['new', 'unchanged']);
    const further = await Promise.all([store.importSession(grown), other.importSession(grown)]);
    expect(further.map(({ kind }) => kind).sort()).toEqual(['grown', 'unchanged']);
  }
  expect(await readdir(join(root, 'conversations'))).toHaveLength(5);
  expect(await readdir(join(root, 'state', 'imports'))).toEqual([]);
});

test('two stores that import several sessions at once in other orders make one conversation of each', async () => {
  const { store, root } = await temporaryStore();
  const other = (await temporaryStore({ root })).store;
  const sessions = Array.from({ length: 40 }, (_, at) =>
    sessionOf(['Why?', 'Because.'], { session: `s${at}`, path: `/logs/s${at}.jsonl` }),
  );
  const work = [
    ...sessions.map((session) => store.importSession(session)),
    ...sessions.toReversed().map((session) => other.importSession(session)),
  ];
  const kinds = (await Promise.all(work)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'new')).toHaveLength(40);
  expect(await readdir(join(root, 'conversations'))).toHaveLength(40);
});

test('whoever waits for an import of the same session can give up', async () => {
  const { store, root } = await temporaryStore();
  const session = sessionOf(['Why?']);
  const lock = await lockSession(root, session.source, undefined);
  const stop = new AbortController();
  const waiting = store.importSession(session, stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await lock.release();
  expect((await store.importSession(session)).kind).toBe('new');
});

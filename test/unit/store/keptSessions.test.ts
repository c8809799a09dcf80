import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Note } from '../../../src/core/note.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { KeptSessions } from '../../../src/store/notes/keptSessions.js';
import { keyOfConversation } from '../../../src/core/sessionKey.js';
import { noteOn } from '../../support/noteOn.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

const key = { tool: 'codex', session: 's1' };

/** What is kept in a file, as windows of their own have it. */
async function windows() {
  const path = join(await temporaryFolder(), 'person', 'keptSessions.jsonl');
  const open = () => new KeptSessions(path, silentLog);
  return { path, open };
}

const noteAs = (id: string, text: string, changedAt = 1): Note => ({
  id,
  text,
  createdAt: 1,
  changedAt,
  about: { record: 'm1', position: 0, time: 0, role: 'user', agent: '', excerpt: 'one' },
});

const session = (texts: readonly string[]) => ({
  source: { ...key, path: '/logs/s1.jsonl', title: 'Soup' },
  records: texts.map((text, at): LogRecord => ({ ...recordOf(at + 1, said(text)), id: `m${at + 1}` })),
});

const textsOf = async (store: { notes(id: string): Promise<{ notes: readonly Note[] }> }, id: string) =>
  (await store.notes(id)).notes.map(({ text }) => text);

/** A conversation as its store knows it, which may be shown from a file. */
const known = (
  entry: { title: string; origin?: { tool: string; session: string; path: string } },
  path?: string,
) => ({
  stores: { known: () => entry },
  shown: { reportOf: () => (path === undefined ? undefined : { path }) },
});

test('that a session was looked at is kept, and what was seen before is told', async () => {
  const { open } = await windows();
  const kept = open();
  const entry = { title: 'Soup', origin: { ...key, path: '/logs/s1.jsonl' } };
  expect(await kept.looking('c1', known(entry))(5)).toBeUndefined();
  expect(await kept.of(key)).toMatchObject({ title: 'Soup', path: '/logs/s1.jsonl', seen: { records: 5 } });
  expect(await open().looking('c9', known(entry, '/elsewhere/s1.jsonl'))(7)).toMatchObject({ records: 5 });
  expect(await kept.of(key)).toMatchObject({ path: '/elsewhere/s1.jsonl', seen: { records: 7 } });
  // Our own conversations are known by their ids, and named by their stores.
  await kept.looking('c2', known({ title: 'Bread' }))(1);
  expect(await kept.of(keyOfConversation('c2', undefined))).toMatchObject({
    title: '',
    seen: { records: 1 },
  });
});

test('who cannot keep what was looked at goes on', async () => {
  const { path, open } = await windows();
  await mkdir(path, { recursive: true });
  expect(await open().looking('c1', known({ title: 'Soup' }))(5)).toBeUndefined();
});

test('what one window keeps about a session another has, after a restart too', async () => {
  const { path, open } = await windows();
  const [one, other] = [open(), open()];
  const about = { title: 'Soup', path: '/logs/s1.jsonl' };
  await one.change(key, [{ kind: 'set', note: noteAs('n1', 'salty') }], about);
  await other.change(key, [
    { kind: 'pin', isPinned: true },
    { kind: 'name', name: 'The soup' },
  ]);
  await one.change(key, [{ kind: 'seen', at: 7, records: 3 }]);
  await one.change({ tool: 'codex', session: 's2' }, [{ kind: 'seen', at: 8, records: 1 }]);
  const expected = { ...key, ...about, isPinned: true, name: 'The soup', seen: { at: 7, records: 3 } };
  for (const window of [one, other, open()])
    expect(await window.of(key)).toMatchObject({ ...expected, notes: [{ text: 'salty' }] });
  // What a crash has cut off swallows nothing, and a later version's lines stay.
  await appendFile(path, '{"v":1,"tool":"co');
  await one.change(key, [{ kind: 'pin', isPinned: false }]);
  expect(await open().of(key)).toMatchObject({ ...expected, isPinned: false });
  expect(one.unread).toBe(1);
});

test('what is deleted stands in the file no more, and what others keep meanwhile stays', async () => {
  const { path, open } = await windows();
  const [one, other] = [open(), open()];
  await one.change(key, [{ kind: 'set', note: noteAs('n1', 'salty') }]);
  await one.change({ ...key, session: 's2' }, [{ kind: 'name', name: 'Bread' }]);
  await other.all();
  expect(await other.forget([key])).toBe(1);
  expect(await readFile(path, 'utf8')).not.toContain('salty');
  await one.change({ ...key, session: 's3' }, [{ kind: 'name', name: 'Cake' }]);
  expect((await other.all()).map(({ name }) => name)).toEqual(['Bread', 'Cake']);
  expect(await one.forget()).toBe(2);
  expect([await one.all(), await other.all(), await readFile(path, 'utf8')]).toEqual([[], [], '']);
});

test('a file of things long changed is written anew, and what windows write at that moment is there', async () => {
  const { path, open } = await windows();
  const [one, other] = [open(), open()];
  const seen = Array.from({ length: 20_000 }, (_, at) => ({ kind: 'seen' as const, at, records: at }));
  await one.change(key, seen);
  const writes = Array.from({ length: 20 }, (_, at) =>
    (at % 2 === 0 ? one : other).change({ ...key, session: `w${at}` }, [{ kind: 'name', name: `n${at}` }]),
  );
  await Promise.all(writes);
  expect((await stat(path)).size).toBeLessThan(10_000);
  expect((await open().all()).length).toBe(21);
  expect((await other.of(key))?.seen).toEqual({ at: 19_999, records: 19_999 });
});

test('a file of a later version is not written anew', async () => {
  const { path, open } = await windows();
  await open().change(key, [{ kind: 'name', name: 'Soup' }]);
  const [line = ''] = (await readFile(path, 'utf8')).split('\n');
  const { encodeLine } = await import('../../../src/store/format/lineFormat.js');
  const later = encodeLine({ ...(JSON.parse(line) as object), v: 2, crc: undefined }).toString();
  await writeFile(path, `${line}\n${later}\n`);
  const window = open();
  expect((await window.all()).map(({ name }) => name)).toEqual(['Soup']);
  await expect(window.forget()).rejects.toThrow('later version');
  expect(await readFile(path, 'utf8')).toContain(later);
});

test('what could not be deleted is still known', async () => {
  const { path, open } = await windows();
  await open().change(key, [{ kind: 'name', name: 'Soup' }]);
  const { encodeLine } = await import('../../../src/store/format/lineFormat.js');
  await appendFile(path, `${encodeLine({ v: 2, ...key, later: true }).toString()}\n`);
  const window = open();
  await expect(window.forget([key])).rejects.toThrow('later version');
  expect(window.known(key)?.name).toBe('Soup');
});

test('a note on what was recorded here, kept by its copy in the archive, goes when it is removed', async () => {
  const { open } = await windows();
  const { store } = await temporaryStore({ kept: open() });
  await store.importConversation('c1', [recordOf(1, said('one'), 'c1')]);
  const own = keyOfConversation('c1', undefined);
  await open().change(own, [{ kind: 'set', note: noteAs('n1', 'salty') }]);
  expect(await textsOf(store, 'c1')).toEqual(['salty']);
  await store.changeNotes('c1', [{ kind: 'remove', id: 'n1', at: 2 }]);
  expect(await textsOf(store, 'c1')).toEqual([]);
  expect((await open().of(own))?.notes).toEqual([]);
});

test('a note is seen with the session in its file, a copy, a later version and another window', async () => {
  const { open } = await windows();
  const kept = open();
  const passing = await temporaryStore({ kept });
  const mine = await temporaryStore({ kept });
  const elsewhere = await temporaryStore({ kept: open() });
  const shown = (await passing.store.importSession(session(['one', 'two']))).conversation;
  await noteOn(passing.store, shown, 1, { id: 'n1', text: 'salty', at: 1 });
  await noteOn(passing.store, shown, 0, { id: 'n2', text: 'hot', at: 2 });
  // A copy is made after the note, and has it beside its journal too: it may be carried elsewhere.
  const copy = (await mine.store.importSession(session(['one', 'two']))).conversation;
  expect(await textsOf(mine.store, copy)).toEqual(['salty', 'hot']);
  expect(await textsOf((await temporaryStore({ root: mine.root })).store, copy)).toEqual(['salty', 'hot']);
  // One that was there already, in a window of its own.
  const other = (await elsewhere.store.importSession(session(['one', 'TWO']))).conversation;
  await mine.store.changeNotes(copy, [{ kind: 'remove', id: 'n1', at: 3 }]);
  for (const [{ store }, id] of [
    [passing, shown],
    [mine, copy],
    [elsewhere, other],
  ] as const)
    expect(await textsOf(store, id)).toEqual(['hot']);
  expect(await elsewhere.store.noted()).toEqual([other]);
  // A session that only happens to be told by the same tool has none.
  const stranger = { ...session(['one']), source: { ...key, session: 's2' } };
  expect(await textsOf(mine.store, (await mine.store.importSession(stranger)).conversation)).toEqual([]);
});

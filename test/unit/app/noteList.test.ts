import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNotes } from '../../../src/app/notes/noteList.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { keptIn } from '../../../src/app/notes/noteBook.js';
import { KeptSessions } from '../../../src/store/notes/keptSessions.js';
import { keyOfConversation } from '../../../src/core/sessionKey.js';
import { noteOn } from '../../support/noteOn.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

/** A store, what is listed of it, and a way to note something in it. */
async function noted() {
  const { store, root } = await temporaryStore();
  let now = 0;
  const note = (conversation: string, position: number, text: string) =>
    noteOn(store, conversation, position, { id: `n_${text}`, text, at: ++now });
  const list = async () => {
    await store.catalog.refresh();
    return await listNotes({ all: () => Promise.resolve([{ store, root }]) }, silentLog);
  };
  const listed = async () =>
    (await list()).map(({ conversation, notes }) => [conversation, ...notes.map(({ text }) => text)]);
  return { store, root, note, list, listed };
}

const talk = (id: string): LogRecord[] => ['one', 'two'].map((text, at) => recordOf(at + 1, said(text), id));

test('conversations with notes are listed, the one that was written in last first, each in its order', async () => {
  const { store, note, listed } = await noted();
  for (const id of ['a', 'b', 'c']) await store.importConversation(id, talk(id));
  await note('a', 1, 'second');
  await note('b', 0, 'other');
  await note('a', 0, 'first');
  expect(await listed()).toEqual([
    ['a', 'first', 'second'],
    ['b', 'other'],
  ]);
  await store.changeNotes('b', [{ kind: 'remove', id: 'n_other', at: 9 }]);
  expect(await listed()).toEqual([['a', 'first', 'second']]);
});

test('of two versions of a session each note is listed once, with the newer one', async () => {
  const { store, note, listed } = await noted();
  const session = (texts: readonly string[]) => ({
    source: { tool: 'a-tool', session: 's1', path: '/logs/s1.jsonl' },
    records: texts.map((text, at): LogRecord => ({ ...recordOf(at + 1, said(text)), id: `m${at + 1}` })),
  });
  const { conversation } = await store.importSession(session(['one', 'two']));
  await note(conversation, 0, 'kept');
  const again = await store.importSession(session(['one', 'TWO']));
  await note(conversation, 1, 'only there');
  expect(new Map((await listed()).map(([id, ...texts]) => [id, texts]))).toEqual(
    new Map([
      [again.conversation, ['kept']],
      [conversation, ['only there']],
    ]),
  );
});

test('notes that cannot be read are listed with the reason, and hide no others', async () => {
  const { store, root, note, list } = await noted();
  for (const id of ['a', 'b']) await store.importConversation(id, talk(id));
  await note('a', 0, 'mine');
  await mkdir(join(root, 'conversations', 'b', 'notes.jsonl'));
  const all = await list();
  expect(all.map(({ conversation, problem }) => [conversation, problem !== undefined])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(all[1]?.problem).toContain('special file');
});

test('a session that is in no store is listed by what is kept about it, and once it is with its copy', async () => {
  const kept = new KeptSessions(join(await temporaryFolder(), 'kept.jsonl'), silentLog);
  const source = { tool: 'codex', session: 's1', path: '/logs/s1.jsonl', title: 'Soup' };
  const records = talk('x').map((record, at) => ({ ...record, id: `m${at}` }));
  const passing = (await temporaryStore({ kept })).store;
  const shown = (await passing.importSession({ source, records })).conversation;
  await noteOn(passing, shown, 1, { id: 'n1', text: 'salty', at: 1 });
  const { store, root } = await temporaryStore({ kept });
  const stores = { all: () => Promise.resolve([{ store, root }]), kept: () => Promise.resolve(kept) };
  const [listed, ...others] = await listNotes(stores, silentLog);
  const place = 'kept:["codex","s1"]';
  const found = { tool: 'codex', session: 's1', path: '/logs/s1.jsonl' };
  expect(listed).toMatchObject({ conversation: place, title: 'Soup', found, notes: [{ text: 'salty' }] });
  expect(others).toEqual([]);
  expect([keptIn(place), keptIn(shown)]).toEqual([{ tool: 'codex', session: 's1' }, undefined]);
  const copy = (await store.importSession({ source, records })).conversation;
  expect((await listNotes(stores, silentLog)).map(({ conversation }) => conversation)).toEqual([copy]);
});

test('a conversation that was recorded here is listed once, with what is kept by its copy in the archive', async () => {
  const kept = new KeptSessions(join(await temporaryFolder(), 'keptSessions.jsonl'), silentLog);
  const { store, root } = await temporaryStore({ kept });
  await store.importConversation('c1', talk('c1'));
  await noteOn(store, 'c1', 0, { id: 'n1', text: 'salty', at: 1 });
  const { notes } = await store.notes('c1');
  const changes = notes.map((note) => ({ kind: 'set' as const, note: { ...note, id: 'n2', text: 'hot' } }));
  await kept.change(keyOfConversation('c1', undefined), changes);
  await store.catalog.refresh();
  const stores = { all: () => Promise.resolve([{ store, root }]), kept: () => Promise.resolve(kept) };
  const listed = await listNotes(stores, silentLog);
  expect(
    listed.map(({ conversation, notes: told }) => [conversation, ...told.map(({ text }) => text)]),
  ).toEqual([['c1', 'salty', 'hot']]);
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNotes } from '../../../src/app/notes/noteList.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { noteOn } from '../../support/noteOn.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

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
    (await list()).map(({ entry, notes }) => [entry.conversation, ...notes.map(({ text }) => text)]);
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
  expect(all.map(({ entry, problem }) => [entry.conversation, problem !== undefined])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(all[1]?.problem).toContain('special file');
});

import { appendFile, chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Note, NoteChange } from '../../../src/core/note.js';
import type { LogRecord } from '../../../src/core/record.js';
import { noteTargetOf } from '../../../src/query/notes/noteTarget.js';
import { locateNotes } from '../../../src/query/notes/locateNotes.js';
import { notesIn } from '../../../src/store/notes/noteFile.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { runs } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

/** A note about a record of a conversation. */
async function noteOn(
  store: TranscriptStore,
  conversation: string,
  position: number,
  text: string,
  id = `n_${position}`,
): Promise<Note> {
  const transcript = await store.openTranscript(conversation);
  const [record] = await transcript.read(position, position + 1);
  await transcript.close();
  if (!record) throw new Error('There is no such record.');
  return { id, text, createdAt: 1, changedAt: 1, about: noteTargetOf(record, position, undefined) };
}

const set = (note: Note): NoteChange => ({ kind: 'set', note });

async function storeWith(texts: readonly string[] = ['one', 'two', 'three']) {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c1');
  texts.forEach((text, at) => journal.append(recordOf(at + 1, said(text))));
  await journal.close();
  return { ...made, file: join(made.root, 'conversations', 'c1', 'notes.jsonl') };
}

/** A session of another tool; its ids count its messages, as those of every import do. */
const session = (texts: readonly string[]) => ({
  source: { tool: 'a-tool', session: 's1', path: '/logs/s1.jsonl' },
  records: texts.map((text, at): LogRecord => ({ ...recordOf(at + 1, said(text)), id: `m${at + 1}` })),
});

/** Where the notes of a conversation stand, by their texts: the texts of the messages there. */
async function placed(store: TranscriptStore, conversation: string): Promise<Record<string, unknown>> {
  const { notes } = await store.notes(conversation);
  const transcript = await store.openTranscript(conversation);
  const places = await locateNotes(notes, transcript);
  const found: Record<string, unknown> = {};
  for (const { id, text } of notes) {
    const { position = -1 } = places.get(id) ?? {};
    const [record] = await transcript.read(position, position + 1);
    found[text] = (record as { message?: { content?: unknown } } | undefined)?.message?.content;
  }
  await transcript.close();
  return found;
}

test('a note is there after a restart, beside a journal of which no byte has changed', async () => {
  const { store, root } = await storeWith();
  const journal = await readFile(await store.journalPath('c1'));
  const note = await noteOn(store, 'c1', 1, 'look again');
  await store.changeNotes('c1', [set(note)]);
  await store.close();
  const { store: later } = await temporaryStore({ root });
  expect(await later.notes('c1')).toEqual({ notes: [note], damaged: [], newer: 0 });
  expect(await readFile(await later.journalPath('c1'))).toEqual(journal);
});

test('what is changed and removed is so for every reader, and the rest stays', async () => {
  const { store } = await storeWith();
  const [first, second] = [await noteOn(store, 'c1', 0, 'a'), await noteOn(store, 'c1', 1, 'b')];
  await store.changeNotes('c1', [set(first), set(second)]);
  await store.changeNotes('c1', [set({ ...second, text: 'c' }), { kind: 'remove', id: first.id, at: 2 }]);
  expect((await store.notes('c1')).notes.map(({ text }) => text)).toEqual(['c']);
});

test('two windows that write at once lose nothing of each other', async () => {
  const { store, root } = await storeWith();
  const { store: other } = await temporaryStore({ root });
  const note = await noteOn(store, 'c1', 0, '');
  await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      (at % 2 === 0 ? store : other).changeNotes('c1', [set({ ...note, id: `n_${at}` })]),
    ),
  );
  const { notes, damaged } = await store.notes('c1');
  expect(new Set(notes.map(({ id }) => id)).size).toBe(60);
  expect(damaged).toEqual([]);
});

test('a note can be written while the conversation is recorded, here and in another window', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.flush();
  const { store: other } = await temporaryStore({ root });
  const note = await noteOn(store, 'c1', 0, 'here');
  await store.changeNotes('c1', [set(note)]);
  await other.changeNotes('c1', [set({ ...note, id: 'n_other', text: 'there' })]);
  journal.append(recordOf(2, said('more')));
  await journal.close();
  expect((await store.notes('c1')).notes.map(({ text }) => text)).toEqual(['here', 'there']);
});

test('a damaged line is counted and kept, and hides no other', async () => {
  const { store, file } = await storeWith();
  const note = await noteOn(store, 'c1', 0, 'before');
  await store.changeNotes('c1', [set(note)]);
  await appendFile(file, '{"v":1,"set":{"id":"n_bad"},"crc":"00000000"}\n{"v":1,"se');
  await store.changeNotes('c1', [set({ ...note, id: 'n_2', text: 'behind' })]);
  const { notes, damaged } = await store.notes('c1');
  expect(notes.map(({ text }) => text)).toEqual(['before', 'behind']);
  expect(damaged).toEqual([2, 3]);
  expect(await readFile(file, 'utf8')).toContain('"n_bad"');
});

test('any cut, flip or mixture of bytes leaves the whole lines readable, and nothing is thrown', async () => {
  const { store, file } = await storeWith();
  const note = await noteOn(store, 'c1', 0, 'x');
  for (const id of ['n_1', 'n_2', 'n_3']) await store.changeNotes('c1', [set({ ...note, id })]);
  const bytes = await readFile(file);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, by, isCut) => {
      const broken = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
      if (!isCut) broken[at] = (broken[at] ?? 0) ^ by;
      const { notes, damaged } = notesIn(broken);
      if (isCut)
        expect(notes.length).toBe(
          bytes
            .subarray(0, at + 1)
            .toString()
            .split('"}\n').length - 1,
        );
      else expect(notes.length + Math.min(1, damaged.length)).toBeGreaterThanOrEqual(2);
      for (const each of notes) expect(each).toEqual({ ...note, id: each.id });
    }),
    { numRuns: runs(300) },
  );
});

test('lines of a later version are kept and counted', async () => {
  const { store, file } = await storeWith();
  const { encodeLine } = await import('../../../src/store/format/lineFormat.js');
  await writeFile(file, `${encodeLine({ v: 2, set: 'something new' }).toString()}\n`);
  expect(await store.notes('c1')).toEqual({ notes: [], damaged: [], newer: 1 });
});

test('a link in the place of the notes is neither read nor written through', async () => {
  const { store, root, file } = await storeWith();
  const elsewhere = join(root, 'elsewhere');
  await writeFile(elsewhere, 'mine\n');
  const note = await noteOn(store, 'c1', 0, 'x');
  await symlink(elsewhere, file);
  await expect(store.changeNotes('c1', [set(note)])).rejects.toThrow('link or a special file');
  await expect(store.notes('c1')).rejects.toThrow('link or a special file');
  expect(await readFile(elsewhere, 'utf8')).toBe('mine\n');
});

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written says so', async () => {
  const { store, root } = await storeWith();
  const note = await noteOn(store, 'c1', 0, 'x');
  await chmod(join(root, 'conversations', 'c1'), 0o500);
  await expect(store.changeNotes('c1', [set(note)])).rejects.toThrow('Nothing was noted');
  await chmod(join(root, 'conversations', 'c1'), 0o700);
});

test('nothing is noted in a store that is only read, nor about a conversation that is not there', async () => {
  const { store, root } = await storeWith();
  const note = await noteOn(store, 'c1', 0, 'x');
  await expect(store.changeNotes('nowhere', [set(note)])).rejects.toThrow('not on the disk');
  await mkdir(root, { recursive: true });
  const { store: reading } = await temporaryStore({ root, readOnly: true });
  await expect(reading.changeNotes('c1', [set(note)])).rejects.toThrow('reading only');
});

test('notes survive renaming, and go with their conversation', async () => {
  const { store } = await storeWith();
  await store.changeNotes('c1', [set(await noteOn(store, 'c1', 2, 'mine'))]);
  await store.rename('c1', 'Another name');
  expect(await placed(store, 'c1')).toEqual({ mine: 'three' });
  await store.deleteConversation('c1');
  expect((await store.notes('c1')).notes).toEqual([]);
});

test('notes on an import stay where they are when its file has grown', async () => {
  const { store } = await temporaryStore();
  const { conversation } = await store.importSession(session(['one', 'two']));
  await store.changeNotes(conversation, [set(await noteOn(store, conversation, 1, 'mine'))]);
  const again = await store.importSession(session(['one', 'two', 'three']));
  expect(again).toMatchObject({ kind: 'grown', conversation });
  expect(await placed(store, conversation)).toEqual({ mine: 'two' });
});

test('a changed file takes the notes with it, each to the message that it is about', async () => {
  const { store } = await temporaryStore();
  const { conversation } = await store.importSession(session(['one', 'two', 'three', 'four']));
  await store.changeNotes(conversation, [
    set(await noteOn(store, conversation, 2, 'on three')),
    set(await noteOn(store, conversation, 1, 'on two')),
  ]);
  const again = await store.importSession(session(['one', 'before', 'and before', 'three', 'four']));
  expect(again.kind).toBe('changed');
  expect(await placed(store, again.conversation)).toEqual({ 'on three': 'three', 'on two': undefined });
  expect(await placed(store, conversation)).toEqual({ 'on three': 'three', 'on two': 'two' });
});

test('of two messages that say the same a note finds its own, by what its tool called it', async () => {
  const { store } = await temporaryStore();
  const withSource = (ids: readonly string[]) => ({
    ...session([]),
    records: ids.map((uuid, at) => ({
      ...recordOf(at + 1, said('ok')),
      id: `m${at + 1}`,
      source: { uuid },
    })),
  });
  const { conversation } = await store.importSession(withSource(['a', 'b', 'c']));
  await store.changeNotes(conversation, [set(await noteOn(store, conversation, 1, 'on b'))]);
  const again = await store.importSession(withSource(['a', 'x', 'y', 'c', 'b']));
  const { notes } = await store.notes(again.conversation);
  const transcript = await store.openTranscript(again.conversation);
  expect([...(await locateNotes(notes, transcript)).values()]).toEqual([{ position: 4 }]);
  await transcript.close();
});

test('a note finds its message wherever insertions, removals and repetitions have put it', async () => {
  const { store } = await temporaryStore();
  let session = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 2, maxLength: 8 }),
      fc.array(fc.integer({ min: 100, max: 130 }), { maxLength: 6 }),
      fc.nat(7),
      async (numbers, more, at) => {
        const of = (values: readonly number[]) => ({
          source: { tool: 'a-tool', session: `s${session}`, path: `/logs/${session}.jsonl` },
          records: values.map((value, index): LogRecord => ({
            ...recordOf(index + 1, said(`message ${value}`)),
            id: `m${index + 1}`,
          })),
        });
        session++;
        const wanted = numbers[at % numbers.length] ?? 0;
        const { conversation } = await store.importSession(of(numbers));
        const position = numbers.indexOf(wanted);
        await store.changeNotes(conversation, [set(await noteOn(store, conversation, position, 'mine'))]);
        const again = await store.importSession(of([...more, ...[...numbers].reverse()]));
        expect(await placed(store, again.conversation)).toEqual({ mine: `message ${wanted}` });
      },
    ),
    { numRuns: runs(40) },
  );
});

import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';
import { noteOn } from '../../../support/noteOn.js';
import { temporaryStore } from '../../../support/storeFixture.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

/** The folder of a workspace in which somebody has noted something on the last answer of the bakery. */
async function notedWorkspace(text: string): Promise<string> {
  const { store, root } = await temporaryStore();
  const story = bakery();
  await store.importConversation(story.conversation, story.records);
  const transcript = await store.openTranscript(story.conversation);
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  const position = records.findIndex((record) => JSON.stringify(record).includes('They are larger now.'));
  await noteOn(store, story.conversation, position, { id: 'n', text, at: 1 });
  return dirname(root);
}

/** What is noted, by what the element of the JSON says that has it. */
async function notedIn(cwd: string, ...options: readonly string[]): Promise<unknown> {
  const { out } = await agentLogbook(['export', '--format', 'json', ...options], { cwd });
  const elements = JSON.parse(out) as readonly { content?: unknown; notes?: unknown }[];
  return elements.flatMap(({ content, notes }) => (notes === undefined ? [] : [{ content, notes }]));
}

test('--with-notes takes notes along, each beside what it is about, and of a part those in it', async () => {
  const cwd = await notedWorkspace('Are they?');
  const noted = [{ content: 'They are larger now.', notes: [{ text: 'Are they?' }] }];
  expect(await notedIn(cwd)).toEqual([]);
  expect(await notedIn(cwd, '--with-notes')).toEqual(noted);
  expect(await notedIn(cwd, '--with-notes', '--where', 'larger')).toEqual(noted);
  expect(await notedIn(cwd, '--with-notes', '--where', 'role:user')).toEqual([]);
});

test('secrets in notes are replaced', async () => {
  const cwd = await notedWorkspace(`Not ${KEY}`);
  const { out } = await agentLogbook(['export', '--with-notes'], { cwd });
  expect(out).toMatch(/Not \\?\[REDACTED:/);
  expect(out).not.toContain(KEY);
});

test('where there are no notes, one line says so, and the export is the same', async () => {
  const files = await folderWith({ 'a.jsonl': messageLines(['user', 'Bake them.']) });
  const plain = await agentLogbook(['export', 'a.jsonl'], { cwd: files });
  const withNotes = await agentLogbook(['export', 'a.jsonl', '--with-notes'], { cwd: files });
  expect(withNotes).toMatchObject({ code: 0, out: plain.out });
  expect(withNotes.err).toMatch(
    /^[^\n]*There are no notes about [^\n]+; only a conversation of a store can have some\.\n$/,
  );
  const stored = await agentLogbook(['export', '--with-notes'], { cwd: await workspaceWith(bakery()) });
  expect(stored).toMatchObject({ code: 0 });
  expect(stored.err).toContain('There are no notes about');
});

test('notes that cannot be read are not left out in silence', async () => {
  const cwd = await notedWorkspace('Are they?');
  const files = await readdir(cwd, { recursive: true });
  const notes = files.find((file) => basename(file) === 'notes.jsonl') ?? '';
  await writeFile(join(cwd, notes), Buffer.alloc(17 * 1024 * 1024, '\n'));
  const { code, out, err } = await agentLogbook(['export', '--with-notes'], { cwd });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/The notes about .* cannot be read: /);
});

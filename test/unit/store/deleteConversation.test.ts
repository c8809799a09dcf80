import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOwnFolder } from '../../../src/store/write/removeOwnFolder.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

const LONG = 'x'.repeat(60_000);

async function storeWith(...ids: string[]) {
  const made = await temporaryStore();
  for (const id of ids) {
    const journal = await made.store.createConversation(id);
    journal.append(recordOf(1, said(LONG), id));
    await journal.close();
  }
  await made.store.catalog.refresh();
  return made;
}

const spill = (root: string, id: string) => join(root, 'state', 'logs', 'tool-results', id);
const listed = (store: { catalog: { entries(): readonly { conversation: string }[] } }) =>
  store.catalog.entries().map(({ conversation }) => conversation);

test('a deleted conversation is gone with its texts and its entry, the others stay', async () => {
  const { store, root } = await storeWith('c1', 'c2');
  await store.deleteConversation('c1');
  expect(await readdir(join(root, 'conversations'))).toEqual(['c2']);
  expect(existsSync(spill(root, 'c1'))).toBe(false);
  expect(existsSync(spill(root, 'c2'))).toBe(true);
  expect(listed(store)).toEqual(['c2']);
  await store.catalog.refresh();
  expect(listed(store)).toEqual(['c2']);
});

test('deleting what is not there is fine', async () => {
  const { store, root } = await temporaryStore();
  await store.deleteConversation('nothing');
  expect(existsSync(root)).toBe(false);
});

test('a deletion that was cut off after its first step is finished by the next start', async () => {
  const { store, root } = await storeWith('c1', 'c2');
  await store.close();
  await rename(join(root, 'conversations', 'c1'), join(root, 'conversations', '.deleted-c1'));
  const { store: later } = await temporaryStore({ root });
  expect(await readdir(join(root, 'conversations'))).toEqual(['c2']);
  expect(existsSync(spill(root, 'c1'))).toBe(false);
  await later.catalog.refresh();
  expect(listed(later)).toEqual(['c2']);
});

test('a conversation that is being recorded, here or elsewhere, is not deleted', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.flush();
  await expect(store.deleteConversation('c1')).rejects.toThrow('being recorded');
  const { store: other } = await temporaryStore({ root });
  await expect(other.deleteConversation('c1')).rejects.toThrow('being written');
});

test('links inside of a conversation are deleted, not followed', async () => {
  const { store, root } = await storeWith('c1');
  const outside = await temporaryFolder();
  await writeFile(join(outside, 'precious'), 'data');
  await symlink(outside, join(root, 'conversations', 'c1', 'link'));
  await store.deleteConversation('c1');
  expect(existsSync(join(outside, 'precious'))).toBe(true);
});

test.each([
  ['a link as conversation', ['conversations', 'c1']],
  ['a link as spill folder', ['state', 'logs', 'tool-results', 'c1']],
])('%s is refused', async (_, steps) => {
  const { root } = await storeWith('c2');
  const outside = await temporaryFolder();
  await mkdir(join(root, ...steps.slice(0, -1)), { recursive: true });
  await symlink(outside, join(root, ...steps));
  await expect(removeOwnFolder(root, ...steps)).rejects.toThrow('link');
  expect(existsSync(outside)).toBe(true);
});

test.each([
  [['conversations']],
  [['conversations', '..']],
  [['conversations', '.']],
  [['conversations', '']],
  [['conversations', 'a/../../b']],
  [['conversations', '.deleted-..']],
  [['conversations', '.git']],
  [['state']],
  [['state', 'logs', 'tool-results']],
  [['state', 'logs', 'tool-results', '..']],
  [[]],
  [['..', 'elsewhere']],
])('the steps %j are no folder that may be deleted', async (steps) => {
  const { root } = await storeWith('c1');
  await expect(removeOwnFolder(root, ...steps)).rejects.toThrow('no folder that the store may delete');
  expect(existsSync(join(root, 'conversations', 'c1'))).toBe(true);
});

test('nothing is deleted in a folder without the marker of a store', async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, 'conversations', 'c1'), { recursive: true });
  await expect(removeOwnFolder(home, 'conversations', 'c1')).rejects.toThrow('marker');
  const { store } = await temporaryStore({ root: home });
  await expect(store.deleteConversation('c1')).rejects.toThrow('marker');
  expect(existsSync(join(home, 'conversations', 'c1'))).toBe(true);
});

test('a store that came without its marker is known by its journals', async () => {
  const { store, root } = await storeWith('c1');
  await rm(join(root, '.logbook'));
  await store.deleteConversation('c1');
  expect(await readdir(join(root, 'conversations'))).toEqual([]);
});

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

/** A store with one conversation of this id. */
async function storeWith(id: string) {
  const made = await temporaryStore();
  const journal = await made.store.createConversation(id);
  journal.append(recordOf(1, said('here'), id));
  await journal.close();
  return made;
}

test.each(['c1', 'Is it a:path?', '../../up', 'con', 'x'.repeat(300)])(
  'the journal of %j is found, and its conversation by it',
  async (id) => {
    const { store, root } = await storeWith(id);
    const path = await store.journalPath(id);
    expect(dirname(dirname(path))).toBe(join(root, 'conversations'));
    expect(await store.conversationOf(path)).toBe(id);
  },
);

test('a conversation of the legacy format leads to its own file', async () => {
  const { store, root } = await storeWith('c1');
  const folder = join(root, 'conversations', 'old one');
  await mkdir(folder);
  await writeFile(join(folder, 'messages.json'), '[{"role":"user","content":"an old question"}]');
  expect(await store.journalPath('old one')).toBe(join(folder, 'messages.json'));
  expect(await store.conversationOf(join(folder, 'messages.json'))).toBe('old one');
});

test('where nothing is on the disk, it says so', async () => {
  const { store } = await storeWith('c1');
  await expect(store.journalPath('c2')).rejects.toThrow('Nothing of the conversation c2 is on the disk.');
});

test('other files belong to no conversation', async () => {
  const { store, root } = await storeWith('c1');
  const folder = join(root, 'conversations', 'c1');
  for (const path of [
    join(folder, 'index.bin'),
    join(folder, 'quarantine', 'messages.jsonl'),
    join(root, 'conversations', 'messages.jsonl'),
    join(root, 'elsewhere', 'c1', 'messages.jsonl'),
    join(root, 'conversations', '.deleted-c1', 'messages.jsonl'),
  ])
    expect(await store.conversationOf(path)).toBeUndefined();
});

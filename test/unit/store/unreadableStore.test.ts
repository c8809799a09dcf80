import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inWords, readingProblem, solvedInWords } from '../../../src/store/write/storeProblem.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { treeChanges, treeSnapshot } from '../../support/treeSnapshot.js';

/** A store with one conversation, whose folder is set aside under another name. */
async function storeWithoutItsFolder() {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.close();
  const folder = join(made.root, 'conversations');
  await rename(folder, join(made.root, 'aside'));
  return { ...made, folder };
}

describe('a store that cannot be read', () => {
  test('is told once, with its folder and what to do, and again when it can be read', async () => {
    const { store, root, problems, solved, folder } = await storeWithoutItsFolder();
    await symlink(join(root, 'aside'), folder);
    await store.catalog.refresh();
    await store.catalog.refresh();
    expect(problems.map(inWords)).toEqual([
      expect.stringMatching(
        `^A link or another file stands where the store keeps its files. Remove it from ${root}. `,
      ),
    ]);
    expect(store.unreadable).toBe(problems[0]);
    await rm(folder);
    await rename(join(root, 'aside'), folder);
    await store.catalog.refresh();
    expect(solved.map(solvedInWords)).toEqual([`The transcripts in ${root} can be read again.`]);
    expect(store.unreadable).toBeUndefined();
    expect(store.catalog.entries()).toHaveLength(1);
  });

  test('is no problem where there is none yet', async () => {
    const { store, problems } = await temporaryStore();
    await store.catalog.refresh();
    expect(problems).toEqual([]);
  });

  test.each([
    ['EACCES', 'The transcripts cannot be read. Allow your user to read /w/.agent-logbook.'],
    ['EPERM', 'The transcripts cannot be read. Allow your user to read /w/.agent-logbook.'],
    ['EIO', 'The disk reports an error. Check the disk, and save what matters, of /w/.agent-logbook.'],
    ['EWEIRD', 'The transcripts cannot be read. Check /w/.agent-logbook.'],
  ])('says what to do about %s', (code, said) => {
    const error = Object.assign(new Error(`${code}: no`), { code });
    expect(inWords(readingProblem(error, '/w/.agent-logbook'))).toBe(
      `${said} Until then they are not listed. (${code}: no)`,
    );
  });
});

test('a store that is opened for reading only is left as it is, whatever is done with it', async () => {
  const { store: writer, root } = await temporaryStore();
  const journal = await writer.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.close();
  await writer.close();
  await mkdir(join(root, 'conversations/.deleted-c2'));
  await writeFile(join(root, 'conversations/.deleted-c2/messages.jsonl'), 'half deleted');
  await rm(join(root, 'state'), { recursive: true, force: true });
  const before = await treeSnapshot(root);
  const { store } = await temporaryStore({ root, readOnly: true });
  await store.catalog.refresh();
  const transcript = await store.openTranscript('c1');
  expect(await transcript.read(0, 10)).toHaveLength(1);
  await transcript.close();
  await expect(store.deleteConversation('c1')).rejects.toThrow('reading only');
  expect((await store.rename('c1', 'other')).refused).toContain('reading only');
  await store.close();
  expect(treeChanges(before, await treeSnapshot(root))).toEqual([]);
});

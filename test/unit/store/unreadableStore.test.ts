import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inWords, readingProblem, solvedInWords, StoreError } from '../../../src/store/write/storeProblem.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { treeChanges, treeSnapshot } from '../../support/treeSnapshot.js';

async function storeWithConversation() {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.close();
  return made;
}

/** A store with one conversation, whose folder is set aside under another name. */
async function storeWithoutItsFolder() {
  const made = await storeWithConversation();
  const folder = join(made.root, 'conversations');
  await rename(folder, join(made.root, 'aside'));
  return { ...made, folder };
}

describe('a store that cannot be read', () => {
  test('is reported once, with its folder and what to do, and again when it can be read', async () => {
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

  test('is reported when the folder that it is in is gone, and its conversations stay listed', async () => {
    const { store, root, problems } = await storeWithConversation();
    await store.catalog.refresh();
    const folder = dirname(root);
    await rename(folder, `${folder}-moved`);
    await store.catalog.refresh();
    expect(problems.map(inWords)).toEqual([
      `The folder of the transcripts was deleted or moved. Put it back, or open the folder where it is now; the transcripts were in ${root}. Until then none can be opened. (${folder} does not exist any more)`,
    ]);
    expect(store.catalog.entries()).toHaveLength(1);
    await rename(`${folder}-moved`, folder);
    await store.catalog.refresh();
    expect(store.unreadable).toBeUndefined();
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
      `${said} Until then stored transcripts are not listed. (${code}: no)`,
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

describe('what is asked of a store that refuses it', () => {
  const asked: Record<string, (store: TranscriptStore) => Promise<unknown>> = {
    'to open a transcript': (store) => store.openTranscript('c1'),
    'to rename': async (store) => {
      const { refused } = await store.rename('c1', 'other');
      throw new Error(refused);
    },
    'to delete': (store) => store.deleteConversation('c1'),
    'to import': (store) => store.importConversation('c2', [recordOf(1, said('hello'), 'c2')]),
    'to continue': async (store) => {
      const resumed = await store.resumeConversation('c1');
      if ('refused' in resumed) throw new Error(resumed.refused);
    },
  };

  test.each(Object.keys(asked))('%s says where it is and what to do', async (what) => {
    const { store, root, folder } = await storeWithoutItsFolder();
    await symlink(join(root, 'aside'), folder);
    const failed = asked[what]?.(store);
    await expect(failed).rejects.toThrow(
      `A link or another file stands where the store keeps its files. Remove it from ${root}.`,
    );
  });

  test.each([
    [
      'EROFS',
      'The file system is read-only. Make it writable, or let the store lie elsewhere; now it is in /s.',
    ],
    ['EACCES', 'The store may not be written. Allow your user to write to /s.'],
    [
      'ENOENT',
      'Files of the store are not there any more. Restore them, or reload the window to see what is left in /s.',
    ],
    ['EWEIRD', 'The store does not answer as it should. Check /s.'],
  ])('says what to do about %s', (code, words) => {
    const error = Object.assign(new Error(`${code}: no`), { code });
    const told = new StoreError(error, '/s', 'Nothing was imported.');
    expect(told.message).toBe(`${words} Nothing was imported. (${code}: no)`);
    expect(told.code).toBe(code);
  });
});

import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { removeOwnFolder, removePassingStore } from '../../../src/store/write/removeOwnFolder.js';
import { runs } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../support/storeFixture.js';
import { treeChanges, treeSnapshot } from '../../support/treeSnapshot.js';

const folder = process.cwd();
const home = process.env.HOME;
afterEach(() => {
  process.chdir(folder);
  process.env.HOME = home;
});

/** A home that is also where the process stands, with a store in it and links to what is dear to a person. */
async function hostileHome() {
  const top = await temporaryFolder();
  const own = join(top, 'me');
  await mkdir(join(own, 'documents/conversations/c1'), { recursive: true });
  await writeFile(join(own, 'documents/letter.txt'), 'dear');
  await mkdir(join(own, 'conversations/c1'), { recursive: true });
  await writeFile(join(own, 'conversations/c1/letter.txt'), 'dear');
  process.env.HOME = own;
  process.chdir(own);
  const root = join(own, 'documents/.agent-logbook');
  const { store } = await temporaryStore({ root });
  for (const name of ['c1', 'c2']) {
    const journal = await store.createConversation(name);
    journal.append(recordOf(1, said('Hello'), name));
    await journal.close();
  }
  // What it writes later would be taken for a change.
  await store.close();
  await symlink(own, join(root, 'conversations/way'));
  await symlink('../..', join(root, 'conversations/c2/up'));
  await symlink(join(own, 'documents'), join(top, 'door'));
  return { top, own, root };
}

const names = [
  'conversations',
  'state',
  'logs',
  'tool-results',
  'c1',
  'way',
  'up',
  'documents',
  'me',
  'nothing',
];
const odd = ['..', '.', '', '/', '~', '*', '.deleted-c1', '.deleted-..', 'c1/..', '..\\..', '\0', ' '];
const step = fc.constantFrom(...names, ...odd, '$HOME', '-rf');

const wild = fc.array(step, { maxLength: 5 });
const nearly = fc
  .tuple(fc.constantFrom(['conversations'], ['state', 'logs', 'tool-results']), step)
  .map(([above, name]) => [...above, name]);

test('whatever it is told, wherever it stands, nothing is deleted but a conversation of a marked store', async () => {
  const { top, own, root } = await hostileHome();
  const roots = [
    root,
    own,
    join(own, 'documents'),
    top,
    homedir(),
    '.',
    '..',
    '',
    '/',
    '~',
    join(top, 'door'),
  ];
  const before = await treeSnapshot(top);
  let removed = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...roots), fc.oneof(wild, nearly), async (place, steps) => {
      // That is what it is for.
      fc.pre(steps.join('/') !== 'conversations/c1');
      await removeOwnFolder(place, ...steps).then(
        () => removed++,
        () => undefined,
      );
    }),
    { numRuns: runs(3_000) },
  );
  expect(treeChanges(before, await treeSnapshot(top))).toEqual([]);
  // What is not there is fine, so that some of them do not fail.
  expect(removed).toBeGreaterThan(0);
  await removeOwnFolder(root, 'conversations', 'c1');
  const gone = treeChanges(before, await treeSnapshot(top));
  expect(gone.length).toBeGreaterThan(0);
  expect(
    gone.filter((line) => !line.startsWith('gone me/documents/.agent-logbook/conversations/c1')),
  ).toEqual([]);
});

test('a store of its own goes as a whole only where it is one that is there for a while', async () => {
  const root = await temporaryFolder();
  const folder = join(root, 'opened');
  const name = 'machine-4711-abc';
  const { store } = await temporaryStore({ root: join(folder, name) });
  await store.importConversation('c1', [recordOf(1, said('Hello'))]);
  await store.close();
  await mkdir(join(folder, 'machine-4712-abc'));
  await symlink(join(folder, name), join(folder, 'machine-4713-abc'));
  await expect(removePassingStore(root, 'opened')).rejects.toThrow('no store that is there for a while only');
  await expect(removePassingStore(folder, '../opened/machine-4711-abc')).rejects.toThrow(
    'no store that is there',
  );
  await expect(removePassingStore(folder, 'machine-4712-abc')).rejects.toThrow('does not carry the marker');
  await expect(removePassingStore(folder, 'machine-4713-abc')).rejects.toThrow();
  expect(await readdir(join(folder, name, 'conversations'))).toEqual(['c1']);
  await removePassingStore(folder, name);
  await removePassingStore(folder, name);
  expect((await readdir(folder)).sort()).toEqual(['machine-4712-abc', 'machine-4713-abc']);
});

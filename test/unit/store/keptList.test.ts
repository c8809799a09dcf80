import { appendFile, copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/app/stores/openStore.js';
import { agentLogbook, bakery, workspaceWith } from '../../support/commandLine.js';

const IDS = ['20261121-093015-00000001', '20261121-093015-00000002', '20261121-093015-00000003'];
const [ID = '', OTHER = ''] = IDS;

const CHANGES: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'nothing has changed': () => Promise.resolve(),
  'a journal was cut off': (folder) => appendFile(join(folder, ID, 'messages.jsonl'), '{"seq":900'),
  'a journal has a further file': (folder) =>
    copyFile(join(folder, OTHER, 'messages.jsonl'), join(folder, ID, 'messages.2.jsonl')),
  'a journal is another file': async (folder) => {
    await copyFile(join(folder, OTHER, 'messages.jsonl'), join(folder, 'other'));
    await rename(join(folder, 'other'), join(folder, ID, 'messages.jsonl'));
  },
  'a conversation has the name of another': async (folder) => {
    await rm(join(folder, ID), { recursive: true });
    await rename(join(folder, OTHER), join(folder, ID));
  },
  'a conversation is gone': (folder) => rm(join(folder, ID), { recursive: true }),
  'what was kept is damaged': (folder) => writeFile(join(dirname(folder), 'state/catalog.json'), '{}'),
};

test.each(Object.keys(CHANGES))(
  'where %s, a program that may wait for the disk lists the same',
  async (name) => {
    const workspace = await workspaceWith(...IDS.map((id) => bakery(id)));
    const root = join(workspace, '.agent-logbook');
    const keeping = await openStore(root);
    await keeping.catalog.refresh();
    await keeping.close();
    await CHANGES[name]?.(join(root, 'conversations'));
    const listed = async (mayBlock: boolean) => {
      const store = await openStore(root, { readOnly: true, mayBlock });
      await store.catalog.refresh();
      const entries = store.catalog.entries();
      await store.close();
      return entries;
    };
    const [plain, blocking] = [await listed(false), await listed(true)];
    expect(blocking).toEqual(plain);
    const { json } = await agentLogbook(['list', '--json'], { cwd: workspace });
    expect(json.map(({ session }) => session)).toEqual(plain.map(({ conversation }) => conversation));
  },
);

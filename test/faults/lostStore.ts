import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from './inspect.js';
import { count, inFolder, type Figures, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const harms: Readonly<Record<string, (root: string) => void>> = {
  'the whole store is deleted': (root) => rmSync(root, { recursive: true }),
  'the conversation is deleted': (root) => rmSync(join(root, 'conversations', 'c1'), { recursive: true }),
  'the journal is replaced': (root) => {
    const journal = join(root, 'conversations', 'c1', 'messages.jsonl');
    rmSync(journal);
    writeFileSync(journal, '{"logbook":1}\n');
  },
  'the store is moved away': (root) => renameSync(root, `${root}-moved`),
  'the lock is deleted': (root) => rmSync(join(root, 'conversations', 'c1', 'lock')),
};

/** The store is taken away under a run: it comes back with everything that the run has said. */
export const lostStore: Recipe = {
  name: 'store deleted, replaced or moved under a run',
  run: async ({ driver, scale }, figures) => {
    for (let round = 0; round < Math.max(1, scale / 4); round++) {
      await Promise.all(Object.entries(harms).map(([name, harm]) => lose(name, harm, driver, figures)));
    }
  },
};

async function lose(
  name: string,
  harm: (root: string) => void,
  driver: string,
  figures: Figures,
): Promise<void> {
  await inFolder(async (folder) => {
    const root = join(folder, '.agent-logbook');
    const task = { root, conversation: 'c1', agents: 2, sizes: [300, 2_000], messages: 40, pause: 50 };
    const writer = new Writer(task, driver);
    await writer.heard('ACK');
    await sleep(300);
    harm(root);
    const { done, problems, errors } = await writer.ended;
    if (!done) figures.faults.push(`${name}: ${errors}`);
    if (!name.includes('lock') && !problems.includes('EMOVED'))
      figures.faults.push(`${name}: nobody was told`);
    count(figures, writer.acknowledged, await inspect(root, 'c1', writer.acknowledged));
  });
}

/** A store that may not be written for a while. Root may write everywhere, so this needs another user. */
export const readOnlyStore: Recipe = {
  name: 'store read-only for a while',
  unavailable: () => (process.getuid?.() === 0 ? 'root may write to read-only folders' : undefined),
  run: async ({ driver }, figures) => {
    await inFolder(async (folder) => {
      const root = join(folder, '.agent-logbook');
      chmodSync(folder, 0o500);
      const writer = new Writer({ root, conversation: 'c1', agents: 1, sizes: [300], messages: 3 }, driver);
      await writer.heard('PROBLEM EACCES');
      if (existsSync(root)) figures.faults.push('something was written');
      chmodSync(folder, 0o700);
      const { done, errors } = await writer.ended;
      if (!done) figures.faults.push(errors);
      count(figures, writer.acknowledged, await inspect(root, 'c1', writer.acknowledged));
    });
  },
};

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from './inspect.js';
import { count, fails, inFolder, type Figures, type Recipe } from './recipe.js';
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

/** Root may write everywhere, so where we are root the writer is somebody else: `nobody`, on Linux. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

/** A store that may not be written for a while, with another user's eyes. */
export const readOnlyStore: Recipe = {
  name: 'store read-only for a while',
  unavailable: () => {
    if (process.platform === 'win32') return 'needs modes of folders';
    const as = NOBODY === undefined ? {} : { uid: NOBODY, gid: NOBODY };
    return fails('another user cannot run Node here', () =>
      execFileSync(process.execPath, ['--version'], { stdio: 'ignore', ...as }),
    );
  },
  run: async ({ driver }, figures) => {
    await inFolder(async (folder) => {
      const root = join(folder, '.agent-logbook');
      const copy = join(folder, 'driver.mjs');
      copyFileSync(driver, copy);
      chmodSync(folder, 0o555);
      const task = { root, conversation: 'c1', agents: 1, sizes: [300], messages: 3 };
      const writer = new Writer(task, copy, [], NOBODY);
      await writer.heard('PROBLEM EACCES');
      await sleep(300);
      if (existsSync(root)) figures.faults.push('something was written');
      chmodSync(folder, 0o777);
      const { done, errors } = await writer.ended;
      if (!done) figures.faults.push(errors);
      count(figures, writer.acknowledged, await inspect(root, 'c1', writer.acknowledged));
    });
  },
};

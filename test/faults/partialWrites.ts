import { join } from 'node:path';
import { compiled } from './compiled.js';
import { inspect } from './inspect.js';
import { count, fails, inFolder, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const faultyLibrary = () => compiled('partialWrites.c', '-shared', '-fPIC', '-ldl');

/** Writes that take only half of the bytes, and kills in the middle of a write. */
export const partialWrites: Recipe = {
  name: 'short writes, and kills in the middle of a write',
  unavailable: () =>
    process.platform === 'linux' ? fails('needs a C compiler', faultyLibrary) : 'needs Linux',
  run: async ({ driver, scale }, figures) => {
    const library = faultyLibrary();
    for (let round = 0; round < 4 * scale; round++) {
      await inFolder(async (folder) => {
        const root = join(folder, '.agent-logbook');
        const acknowledged = new Map<string, string>();
        for (let life = 0; life < 2; life++) {
          const faults = {
            LD_PRELOAD: library,
            FAULT_PATH: '.jsonl',
            FAULT_EVERY: '3',
            FAULT_KILL: String(2 + round),
          };
          const wrap = ['env', ...Object.entries(faults).map(([name, value]) => `${name}=${value}`)];
          const task = { root, conversation: 'c1', agents: 2, sizes: [300, 40_000], messages: 10 + round };
          const writer = new Writer(task, driver, wrap);
          const { signal, done, errors } = await writer.ended;
          if (signal === 'SIGKILL') figures.kills++;
          else if (!done) figures.faults.push(errors);
          for (const [id, hash] of writer.acknowledged) acknowledged.set(id, hash);
        }
        count(figures, acknowledged, await inspect(root, 'c1', acknowledged));
      });
    }
  },
};

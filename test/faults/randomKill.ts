import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from './inspect.js';
import { count, inFolder, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

/** Kills at any moment: the conversation is opened by the next process, again and again. */
export const randomKill: Recipe = {
  name: 'kill -9 while three agents write',
  run: async ({ driver, scale, random }, figures) => {
    for (let story = 0; story < Math.ceil(1.5 * scale); story++) {
      await inFolder(async (folder) => {
        const root = join(folder, '.agent-logbook');
        const acknowledged = new Map<string, string>();
        const sizes = [100, 2_000, 60_000, 20, 600_000];
        for (let kill = 0; kill < 12; kill++) {
          const segmentBytes = random() < 0.3 ? 400_000 : 1 << 30;
          const writer = new Writer({ root, conversation: 'c1', agents: 3, sizes, segmentBytes }, driver);
          await writer.ready;
          await sleep(random() * 90);
          writer.kill();
          figures.kills++;
          const { errors } = await writer.ended;
          if (errors !== '') figures.faults.push(errors);
          for (const [id, hash] of writer.acknowledged) acknowledged.set(id, hash);
        }
        count(figures, acknowledged, await inspect(root, 'c1', acknowledged));
      });
    }
  },
};

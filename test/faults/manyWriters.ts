import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from './inspect.js';
import { count, inFolder, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const SIZES = [100, 50_000, 600_000, 3_000_000];

/** Several processes in one store: a conversation each, and one that all of them want; one of them is killed. */
export const manyWriters: Recipe = {
  name: 'two and eight writers, one killed',
  run: async ({ driver, scale, random }, figures) => {
    for (const writers of scale > 1 ? [2, 8, 2, 8] : [2, 4]) {
      await inFolder(async (folder) => {
        const root = join(folder, '.agent-logbook');
        const own = Array.from({ length: writers }, (_, at) => {
          const conversation = `own${at}`;
          return {
            conversation,
            writer: new Writer({ root, conversation, agents: 2, sizes: SIZES, messages: 6 }, driver),
          };
        });
        // They come one after the other into the same conversation, each as soon as the one before has ended.
        const shared = Array.from({ length: writers }, () => ({
          conversation: 'shared',
          writer: new Writer(
            { root, conversation: 'shared', agents: 1, sizes: [500, 55_000], messages: 5, pause: 5 },
            driver,
          ),
        }));
        const victims = [own[0], shared[0]];
        for (const victim of victims) await victim?.writer.ready;
        await sleep(random() * 300);
        for (const victim of victims) {
          victim?.writer.kill();
          figures.kills++;
        }
        const acknowledged = new Map<string, Map<string, string>>();
        for (const { conversation, writer } of [...own, ...shared]) {
          const { done, errors, signal } = await writer.ended;
          if (!done && signal !== 'SIGKILL') figures.faults.push(`${conversation}: ${errors}`);
          const all = acknowledged.get(conversation) ?? new Map<string, string>();
          for (const [id, hash] of writer.acknowledged) all.set(id, hash);
          acknowledged.set(conversation, all);
        }
        for (const [conversation, ids] of acknowledged)
          count(figures, ids, await inspect(root, conversation, ids));
      });
    }
  },
};

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { GRACE_MS } from '../../src/store/write/sweepStore.js';
import { inFolder, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const SMALL = { sizes: [200, 3_000, 100], importing: 20_000 };
/** With texts that get files of their own. */
const LARGE = { sizes: [200, 60_000], importing: 200 };

/** Kills in the middle of an import: the conversation is there with every message, or nothing of it is, ever. */
export const importKill: Recipe = {
  name: 'kill -9 while a transcript is imported',
  run: async ({ driver, scale, random }, figures) => {
    for (let round = 0; round < 6 * scale; round++) {
      await inFolder(async (folder) => {
        const root = join(folder, '.agent-logbook');
        const { sizes, importing } = round % 2 === 0 ? SMALL : LARGE;
        const writer = new Writer({ root, conversation: 'c1', agents: 0, sizes, importing }, driver);
        await writer.ready;
        await sleep(random() * 350);
        writer.kill();
        const { done, errors } = await writer.ended;
        if (!done) figures.kills++;
        if (errors !== '') figures.faults.push(errors);
        figures.runs++;
        const later = { now: () => Date.now() + GRACE_MS + 1000 };
        const store = await TranscriptStore.open({
          root,
          log: silentLog,
          clock: later,
          onProblem: () => undefined,
        });
        await store.catalog.refresh();
        const [entry] = store.catalog.entries();
        if (done && !entry) figures.lost++;
        if (entry && entry.messages !== importing) figures.damaged++;
        const left = ['conversations', 'state/logs/tool-results'].flatMap((path) =>
          namesIn(join(root, path)),
        );
        if (!entry && left.length > 0) figures.faults.push(`left behind: ${left.join(', ')}`);
        await store.close();
      });
    }
  },
};

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // Killed before the folder was made.
    return [];
  }
}

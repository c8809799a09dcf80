import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../src/core/message.js';
import type { LogRecord } from '../../src/core/record.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { inFolder, type Recipe } from './recipe.js';

/** What was said longer ago than this must be on the disk: pieces are of at most a second, and are synced. */
const LATEST_MS = 1_500;

/** Kills a process in which agents speak: what they had said is the last message of their conversations. */
export const speakingKill: Recipe = {
  name: 'kill -9 while agents speak',
  run: async ({ driver, scale, random }, figures) => {
    for (let round = 0; round < 4 * scale; round++) {
      await inFolder(async (folder) => {
        const root = join(folder, 'store');
        const said = new Map<string, number[]>([
          ['first', []],
          ['second', []],
        ]);
        const child = spawn(process.execPath, [join(dirname(driver), 'speaker.js'), root], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        createInterface(child.stdout).on('line', (line) => {
          const [agent = '', time = ''] = line.split(' ');
          said.get(agent)?.push(Number(time));
        });
        await once(child.stdout, 'data');
        await sleep(LATEST_MS + random() * 2_000);
        const killedAt = Date.now();
        child.kill('SIGKILL');
        await ended;
        figures.runs++;
        figures.kills++;
        const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
        const words = await lastWords(store);
        for (const [agent, times] of said) {
          const heard = words.get(agent) ?? [];
          const due = times.filter((time) => time < killedAt - LATEST_MS).length;
          figures.acknowledged += due;
          figures.lost += Math.max(0, due - heard.length);
          if (heard.some((word, at) => word !== `w${at}`)) figures.damaged++;
        }
        await store.close();
      });
    }
  },
};

/** The words of the message that each conversation ends with, by who spoke. */
async function lastWords(store: TranscriptStore): Promise<ReadonlyMap<string, readonly string[]>> {
  const words = new Map<string, readonly string[]>();
  await store.catalog.refresh();
  for (const { conversation } of store.catalog.entries()) {
    const transcript = await store.openTranscript(conversation);
    const records = (await transcript.read(0, transcript.length)) as readonly LogRecord[];
    await transcript.close();
    const last = records.at(-1);
    if (last?.type !== 'message' || last.message.role !== 'assistant') continue;
    const said = textOf(last.message.content).split(' ');
    words.set(
      last.agent,
      said.filter((word) => word !== ''),
    );
  }
  return words;
}

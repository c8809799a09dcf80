import { join } from 'node:path';
import { inspect } from './inspect.js';
import { count, inFolder, lacks, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

/** Node makes none of these itself while it starts; `write` also stands for what the driver says to us. */
const CALLS = [
  'fdatasync',
  'write',
  'rename',
  'fsync',
  'link',
  'unlink',
  'mkdir',
  'pwrite64',
  'utimensat',
] as const;

/** Kills at the n-th call of each kind: while the lock is taken, spilling, writing, syncing, resuming. */
export const syscallKill: Recipe = {
  name: 'kill -9 at each system call',
  unavailable: () => lacks('strace', '-e', 'inject=write:retval=0:when=65535', 'true'),
  run: async ({ driver, scale, random }, figures) => {
    const rounds = Math.ceil(1.2 * scale);
    for (let round = 0; round < rounds; round++) {
      for (const call of CALLS) {
        await inFolder(async (folder) => {
          const root = join(folder, '.agent-logbook');
          const acknowledged = new Map<string, string>();
          // The second process resumes what the first has left.
          for (let life = 0; life < 2; life++) {
            const at = 1 + Math.floor(random() * (call === 'write' ? 40 : 8));
            const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`];
            const inject = ['-e', `inject=${call}:signal=KILL:when=${at}`];
            const task = {
              root,
              conversation: 'c1',
              agents: 2,
              sizes: [300, 60_000],
              messages: 4,
              segmentBytes: 1000,
            };
            const writer = new Writer(task, driver, [...strace, ...inject]);
            const { signal, errors, done } = await writer.ended;
            if (signal === 'SIGKILL') figures.kills++;
            else if (!done) figures.faults.push(`${call} ${at}: ${errors}`);
            for (const [id, hash] of writer.acknowledged) acknowledged.set(id, hash);
          }
          count(figures, acknowledged, await inspect(root, 'c1', acknowledged));
        });
      }
    }
  },
};

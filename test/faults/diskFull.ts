import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from './inspect.js';
import { count, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const mountOn = (folder: string, size: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},nr_inodes=64`, 'tmpfs', folder], {
    stdio: 'ignore',
  });

/** A disk that is full, and has room again: nothing cut off, nothing lost, told at once, and the run goes on. */
export const diskFull: Recipe = {
  name: 'disk full, then room again',
  unavailable: () => {
    const folder = mkdtempSync(join(tmpdir(), 'logbook-mount-'));
    try {
      mountOn(folder, '64k');
      execFileSync('umount', [folder]);
      return undefined;
    } catch {
      return 'a tmpfs cannot be mounted here (run as root, or inside `unshare -Urm`)';
    } finally {
      rmdirSync(folder);
    }
  },
  run: async ({ driver, scale, random }, figures) => {
    for (let round = 0; round < Math.max(2, scale * 2); round++) {
      const folder = mkdtempSync(join(tmpdir(), 'logbook-full-'));
      mountOn(folder, `${128 + 4 * Math.floor(random() * 64)}k`);
      try {
        const root = join(folder, '.agent-logbook');
        mkdirSync(root);
        const sizes = round % 2 === 0 ? [30_000, 700] : [700, 55_000, 100];
        const writer = new Writer({ root, conversation: 'c1', agents: 3, sizes, messages: 20 }, driver);
        await writer.heard('PROBLEM ENOSPC');
        const told = writer.problems.length > 0;
        await sleep(300);
        execFileSync('mount', ['-o', 'remount,size=64m,nr_inodes=4096', folder]);
        const { done, solved, errors } = await writer.ended;
        if (!told || !done) figures.faults.push(`told: ${told}, ended well: ${done}: ${errors}`);
        if (solved.length === 0) figures.faults.push('nobody was told that it is over');
        if (writer.acknowledged.size !== 60)
          figures.faults.push(`${writer.acknowledged.size} of 60 were saved`);
        count(figures, writer.acknowledged, await inspect(root, 'c1', writer.acknowledged));
      } finally {
        execFileSync('umount', ['-l', folder]);
        rmdirSync(folder);
      }
    }
  },
};

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from './compiled.js';
import { inspect } from './inspect.js';
import { count, fails, inFolder, lacks, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

const run = (program: string, ...words: readonly string[]) => execFileSync(program, words, { stdio: 'pipe' });

/** A disk in a file of the folder, mounted below it. */
function mountDisk(folder: string): { readonly image: string; readonly disk: string } {
  const image = join(folder, 'image');
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  run('truncate', '-s', '96M', image);
  run('mkfs.ext4', '-qF', image);
  run('mount', '-o', 'loop', image, disk);
  return { image, disk };
}

function tryDisk(): void {
  const folder = mkdtempSync(join(tmpdir(), 'logbook-mount-'));
  try {
    run('umount', mountDisk(folder).disk);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A disk of its own that loses what was not synced. */
export const powerCut: Recipe = {
  name: 'power cut on ext4',
  unavailable: () => {
    if (process.getuid?.() !== 0) return 'only root may mount a disk image';
    return (
      fails('needs a C compiler', () => compiled('powerCut.c')) ??
      lacks('mkfs.ext4', '-V') ??
      fails('a disk image cannot be mounted here', tryDisk)
    );
  },
  run: async ({ driver, scale, random }, figures) => {
    const cut = compiled('powerCut.c');
    for (let round = 0; round < 3 * scale; round++) {
      await inFolder(async (folder) => {
        const { image, disk } = mountDisk(folder);
        try {
          const root = join(disk, '.agent-logbook');
          const acknowledged = new Map<string, string>();
          // The second life resumes on the disk that the first power cut has left.
          for (let life = 0; life < 2; life++) {
            const task = {
              root,
              conversation: 'c1',
              agents: 3,
              sizes: [300, 60_000, 2_000],
              segmentBytes: 300_000,
            };
            const writer = new Writer(task, driver);
            await writer.ready;
            await sleep(20 + random() * 200);
            // While ext4 shuts down, fdatasync may report success for what the disk never gets; a bare loop of write and
            // fdatasync sees that too. A real power cut leaves nobody to hear of it, so what comes later does not count.
            for (const [id, hash] of writer.acknowledged) acknowledged.set(id, hash);
            run(cut, disk);
            writer.kill();
            figures.kills++;
            await writer.ended;
            run('umount', disk);
            run('mount', '-o', 'loop', image, disk);
          }
          count(figures, acknowledged, await inspect(root, 'c1', acknowledged));
        } finally {
          run('umount', '-l', disk);
        }
      });
    }
  },
};

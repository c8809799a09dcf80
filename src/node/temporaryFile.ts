import { lstat, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThere } from './processIdentity.js';

/** A file that is needed for a while, in a folder of its own that only this person can read. */
export interface TemporaryFile {
  readonly path: string;
  /** Removes it and its folder. */
  readonly remove: () => Promise<void>;
}

/** How the folders of temporary files are called, by the process that makes them. */
const TEMPORARY = 'agent-logbook-file-';
const OF_PROCESS = /^agent-logbook-file-(\d+)-/;
/** What was written to lately may be of a process that cannot be seen from here, in milliseconds. */
const LATELY_MS = 60 * 60_000;

/** The folder in which this process has looked for what killed ones left. */
let tidied = '';

/** A place for a temporary file; what killed processes left is removed before the first. Rejects with errors of the file system. */
export async function temporaryFile(name: string): Promise<TemporaryFile> {
  if (tidied !== tmpdir()) {
    tidied = tmpdir();
    await tidy(tidied);
  }
  const folder = await mkdtemp(join(tmpdir(), `${TEMPORARY}${process.pid}-`));
  const path = join(folder, name);
  return {
    path,
    remove: async () => {
      await rm(path, { force: true });
      await rmdir(folder);
    },
  };
}

async function tidy(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(OF_PROCESS.exec(name)?.[1]);
    if (pid > 0 && !isThere(pid)) await removeTemporary(join(folder, name)).catch(() => undefined);
  }
}

/** Removes the files of a folder, and it; rejects where it is none, or another person's. */
async function removeTemporary(folder: string): Promise<void> {
  const { mtimeMs } = await lstat(folder);
  if (Date.now() - mtimeMs < LATELY_MS) return;
  for (const name of await readdir(folder)) await rm(join(folder, name));
  await rmdir(folder);
}

import { randomBytes } from 'node:crypto';
import { rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CREATE, openPlainFile, syncFolder } from './plainFiles.js';

/** Begins the names of files that are being written; what a crash leaves of them is swept away later. */
export const TEMPORARY = '.tmp-';

/** Puts a file there whole or not at all: a temporary file, fsync, rename. It survives a power cut once this resolves. */
export async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `${TEMPORARY}${basename(path)}-${randomBytes(6).toString('hex')}`);
  const handle = await openPlainFile(temporary, CREATE);
  try {
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // Its failure matters less than the one that is told; the sweep takes what stays.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

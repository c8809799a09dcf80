import { randomBytes } from 'node:crypto';
import { rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CREATE, openPlainFile, syncFolder } from './plainFiles.js';

/** The prefix of files that are being written; those left by a crash are swept later. */
export const TEMPORARY = '.tmp-';

/** Writes a file atomically: temporary file, fsync, rename. It is durable once this resolves. */
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
    // A failure here matters less than the one that is thrown; the sweep removes what is left.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

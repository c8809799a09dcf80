import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, GuardedPath } from '../../../core/ports/workspaceFiles.js';

import { errorCode } from '../../../core/errorCode.js';

/** Whether open files can be looked up by descriptor, so that a swap between check and use is detected. */
export const hasProc = process.platform === 'linux';

/**
 * Opens a checked file or folder for reading without following a link in its last name, and verifies that what was
 * opened is what was checked. The caller closes the handle.
 */
export async function openGuarded(
  place: Pick<GuardedPath, 'path' | 'relative'>,
  kind: 'file' | 'folder',
): Promise<FileOutcome<{ readonly handle: FileHandle }>> {
  const kindFlag = kind === 'folder' ? constants.O_DIRECTORY : constants.O_NONBLOCK;
  let handle: FileHandle | undefined;
  try {
    handle = await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | kindFlag);
    const found = await handle.stat();
    if (kind === 'file' ? !found.isFile() : !found.isDirectory()) {
      return await closed(handle, 'refused', `'${place.relative}' is not a ${kind}.`);
    }
    if (hasProc && (await readlink(`/proc/self/fd/${handle.fd}`)) !== place.path) {
      return await closed(handle, 'refused', `'${place.relative}' was moved while it was opened.`);
    }
    return { ok: true, handle };
  } catch (error) {
    const why =
      errorCode(error) === 'ENOENT' ? 'absent' : errorCode(error) === 'ELOOP' ? 'refused' : 'failed';
    const message =
      why === 'absent'
        ? `'${place.relative}' does not exist.`
        : `'${place.relative}' cannot be opened: ${messageOf(error)}`;
    return handle ? closed(handle, why, message) : { ok: false, why, message };
  }
}

async function closed<T>(
  handle: FileHandle,
  why: 'absent' | 'refused' | 'failed',
  message: string,
): Promise<FileOutcome<T>> {
  await handle.close();
  return { ok: false, why, message };
}

import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { hasProc, openGuarded } from './openGuarded.js';

import { errorCode } from '../../../core/errorCode.js';

type OpenedFolder = FileOutcome<{ readonly handle: FileHandle }>;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens the folder of a checked path, creating missing folders. Descends from the workspace folder name by name and
 * follows no link. The caller closes the handle.
 */
export async function openFolder(place: GuardedPath): Promise<OpenedFolder> {
  const names = place.relative.split('/').slice(0, -1);
  if (!hasProc) return openByName(place);
  let folder = await openGuarded({ path: place.root, relative: '.' }, 'folder');
  for (const name of names) {
    if (!folder.ok) return folder;
    folder = await openChild(folder.handle, name, place);
  }
  return folder;
}

/** Opens a folder within an open one, which it closes. */
async function openChild(parent: FileHandle, name: string, place: GuardedPath): Promise<OpenedFolder> {
  const path = `/proc/self/fd/${parent.fd}/${name}`;
  try {
    return { ok: true, handle: await open(path, folderFlags).catch(makeAndOpen(path)) };
  } catch (error) {
    return failed(place, error);
  } finally {
    await parent.close();
  }
}

const makeAndOpen = (path: string) => async (error: unknown) => {
  if (errorCode(error) !== 'ENOENT') throw error;
  await mkdir(path);
  return open(path, folderFlags);
};

/** For systems without access by descriptor: opens the folder by name, and checks it again. */
async function openByName(place: GuardedPath): Promise<OpenedFolder> {
  const path = dirname(place.path);
  try {
    await mkdir(path, { recursive: true });
    if ((await realpath(path)) !== path) {
      return { ok: false, why: 'refused', message: `'${place.relative}' was moved while it was opened.` };
    }
    return await openGuarded({ path, relative: place.relative }, 'folder');
  } catch (error) {
    return failed(place, error);
  }
}

function failed(place: GuardedPath, error: unknown): OpenedFolder {
  const why = ['ELOOP', 'ENOTDIR'].includes(errorCode(error)) ? 'refused' : 'failed';
  return { ok: false, why, message: `'${place.relative}' cannot be written: ${messageOf(error)}` };
}

/** The path of a name in an opened folder: by the folder's descriptor where the system supports that. */
export function pathIn(folder: FileHandle, place: GuardedPath, name: string): string {
  return hasProc ? `/proc/self/fd/${folder.fd}/${name}` : join(dirname(place.path), name);
}

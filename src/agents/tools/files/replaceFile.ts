import { closeSync, constants, linkSync, lstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { link, lstat, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { readWhole, versionOf } from './diskFiles.js';

import { errorCode } from '../../../core/errorCode.js';

/** A file that is kept open until it is replaced. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly version: string;
}

/** Names in one folder: of the new file, of the one that it is to replace, and an unused one. */
export interface FileNames {
  readonly fresh: string;
  readonly target: string;
  readonly spare: string;
}

/** The error codes of file systems without hard links. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Gives the new file a name that does not exist; false where it exists by now. */
export async function createFile({ fresh, target }: FileNames): Promise<boolean> {
  try {
    await link(fresh, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!withoutLinks.includes(errorCode(error))) throw error;
  }
  // The look just before is all that can be had.
  await rename(fresh, target);
  return true;
}

/**
 * Puts the new file, whose content has this version, in the old one's place. False where somebody has written, replaced
 * or removed the old one meanwhile: then their file remains in place, the very same, so that a write of theirs still in
 * progress arrives too; or what they have since saved into the new file.
 */
export async function replaceFile(names: FileNames, old: OpenedFile, version: string): Promise<boolean> {
  if (!(await isUnchanged(old))) return false;
  const fresh = await lstat(names.fresh);
  // Check and act without a pause in between, so that nobody can intervene.
  if (!isSame(names.target, await old.handle.stat())) return false;
  const kept = keep(names);
  renameSync(names.fresh, names.target);
  if (!kept) return true;
  const stood = await lstat(names.spare);
  const { dev, ino } = await old.handle.stat();
  if (stood.dev === dev && stood.ino === ino && (await isUnchanged(old))) return true;
  // Somebody who saves twice has the second text in the new file already, which is newer than what would be restored.
  if (isSame(names.target, fresh) && versionAt(names.target) === version) {
    renameSync(names.spare, names.target);
  }
  return false;
}

/** Gives what stands at the target a second name for a moment; false where the file system cannot. */
function keep({ target, spare }: FileNames): boolean {
  try {
    linkSync(target, spare);
    return true;
  } catch (error) {
    if (withoutLinks.includes(errorCode(error))) return false;
    throw error;
  }
}

function isSame(target: string, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
  const now = lstatSync(target, { throwIfNoEntry: false });
  return now?.dev === dev && now.ino === ino;
}

function versionAt(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return versionOf(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

async function isUnchanged({ handle, version }: OpenedFile): Promise<boolean> {
  return versionOf(await readWhole(handle)) === version;
}

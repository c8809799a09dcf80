import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { discard } from './importConversation.js';
import type { LineIndex } from '../read/lineIndex.js';
import { entryAt, findFolder } from '../../node/plainFile.js';
import { removeOwnFolder } from './removeOwnFolder.js';
import { idInPath } from '../format/spillTexts.js';
import { names, pathsOf, SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { TEMPORARY } from '../../node/atomicFile.js';

/** Files younger than this, in milliseconds, may still be in use by another window. */
export const GRACE_MS = 60 * 60 * 1000;

/**
 * Removes what crashes have left in a store: incomplete imports, and folders of spilled texts without a conversation.
 * Never throws.
 */
export async function sweepStore(root: string, now: number, log: Log): Promise<void> {
  try {
    const conversations = (await namesIn(root, names.conversations)) ?? [];
    for (const staged of conversations.filter((name) => name.startsWith(names.importing))) {
      const paths = pathsOf(root, staged, staged);
      const isOld = (await isStale(paths.folder, now)) && (await isStale(paths.segment(0), now));
      if (isOld) await discard(paths, staged.slice(names.importing.length));
    }
    const known = new Set(conversations.map((name) => name.replace(/^\.(?:importing|deleted)-/, '')));
    for (const name of (await namesIn(root, ...SPILL_FOLDERS)) ?? []) {
      const folder = join(root, ...SPILL_FOLDERS, name);
      if (!known.has(name) && (await isStale(folder, now)))
        await removeOwnFolder(root, ...SPILL_FOLDERS, name);
    }
  } catch (error) {
    log.warn(`What crashes have left in ${root} could not be removed: ${messageOf(error)}`);
  }
}

/**
 * Removes what crashes have left in one conversation: temporary files, and spilled texts without a record. To be called
 * while its lock is held. Never throws.
 */
export async function sweepConversation(
  paths: ConversationPaths,
  index: LineIndex,
  now: number,
  log: Log,
): Promise<void> {
  const { root, name } = paths;
  // A damaged line may be the one that refers to a text.
  const isOrphan = (file: string) => {
    const id = idInPath(file);
    return index.damagedCount === 0 && id !== undefined && index.find(id) < 0;
  };
  try {
    const isHalfMade = (file: string) => file.startsWith(TEMPORARY) || /^lock\.[0-9a-f]+$/.test(file);
    await removeFiles(paths.folder, (await namesIn(root, names.conversations, name)) ?? [], isHalfMade, now);
    const spilled = join(root, ...SPILL_FOLDERS, name);
    const isWaste = (file: string) => file.startsWith(TEMPORARY) || isOrphan(file);
    await removeFiles(spilled, (await namesIn(root, ...SPILL_FOLDERS, name)) ?? [], isWaste, now);
  } catch (error) {
    log.warn(`What crashes have left of ${paths.id} could not be removed: ${messageOf(error)}`);
  }
}

async function removeFiles(
  folder: string,
  files: readonly string[],
  isWaste: (file: string) => boolean,
  now: number,
): Promise<void> {
  for (const path of files.filter(isWaste).map((file) => join(folder, file))) {
    if ((await entryAt(path))?.isFile() && (await isStale(path, now))) await unlink(path);
  }
}

async function namesIn(root: string, ...steps: readonly string[]): Promise<string[] | undefined> {
  const folder = await findFolder(root, ...steps);
  return folder === undefined ? undefined : await readdir(folder);
}

/** Whether nothing at a path was changed within the grace period. */
async function isStale(path: string, now: number): Promise<boolean> {
  const entry = await entryAt(path);
  return entry === undefined || now - entry.mtimeMs > GRACE_MS;
}

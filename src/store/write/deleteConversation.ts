import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/ports/log.js';
import { isLocked } from '../../node/processLock.js';
import { firstHeader } from '../read/journalLines.js';
import { entryAt, findFolder } from '../../node/plainFile.js';
import { removeOwnFolder } from './removeOwnFolder.js';
import { names, SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { isMarkedRoot, makeRoot } from '../files/storeRoot.js';

/**
 * Deletes a conversation with its spilled texts; a missing one is fine. Its folder is renamed first: from then on it no
 * longer exists for anybody, and `finishDeletions` completes what a crash interrupts. Throws errors for a person.
 */
export async function deleteConversation(paths: ConversationPaths): Promise<void> {
  const { root, name, folder } = paths;
  if (await findFolder(root, names.conversations, name)) {
    if (await isLocked(paths.lock))
      throw new Error('This conversation is being written; stop its run or close its window first.');
    if (!(await isMarkedRoot(root)) && (await looksLikeOurs(paths))) await makeRoot(root);
    const tombstone = `${names.deleted}${name}`;
    await removeOwnFolder(root, names.conversations, tombstone);
    await rename(folder, join(root, names.conversations, tombstone));
  }
  await finish(root, name);
}

/** Completes interrupted deletions. */
export async function finishDeletions(root: string, log: Log): Promise<void> {
  try {
    const folder = await findFolder(root, names.conversations);
    if (folder === undefined) return;
    for (const entry of await readdir(folder)) {
      if (entry.startsWith(names.deleted)) await finish(root, entry.slice(names.deleted.length));
    }
  } catch (error) {
    log.warn(`A deletion in ${root} could not be finished`, error);
  }
}

/** Removes the renamed folder last, because it marks the deletion as incomplete. */
async function finish(root: string, name: string): Promise<void> {
  if ((await findFolder(root)) === undefined) return;
  const tombstone = join(root, names.conversations, `${names.deleted}${name}`);
  const isNewOne = (await entryAt(join(root, names.conversations, name))) !== undefined;
  if (!isNewOne && (await findFolder(root, ...SPILL_FOLDERS, name)))
    await removeOwnFolder(root, ...SPILL_FOLDERS, name);
  if (await entryAt(tombstone)) await removeOwnFolder(root, names.conversations, `${names.deleted}${name}`);
}

/** Recognises a store that was copied without its marker, or made before there was one. */
async function looksLikeOurs(paths: ConversationPaths): Promise<boolean> {
  return (
    (await firstHeader(paths)) !== undefined ||
    (await entryAt(join(paths.folder, names.legacyJournal))) !== undefined
  );
}

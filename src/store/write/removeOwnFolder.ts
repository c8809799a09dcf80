import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findFolder } from '../../node/plainFile.js';
import { isEntryName } from '../files/safeFileName.js';
import { names, SPILL_FOLDERS } from '../files/storePaths.js';
import { isMarkedRoot } from '../files/storeRoot.js';

/**
 * Deletes one conversation's folder, or its folder of spilled texts, with its content; a missing one is fine.
 * This is the only place that deletes recursively, so it trusts nobody: `root` must have the marker of a store, the
 * steps must lead to such a folder, and none of them may be a link. Links inside are deleted, not followed.
 * Throws where any of this does not hold.
 */
export async function removeOwnFolder(root: string, ...steps: readonly string[]): Promise<void> {
  if (!isOwn(steps)) throw new Error(`${steps.join('/')} is no folder that the store may delete.`);
  if (!(await isMarkedRoot(root)))
    throw new Error(`${root} does not carry the marker of a store: nothing is deleted there.`);
  const folder = await findFolder(root, ...steps);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** What the folder is called in which stores lie that are there only while a process runs. */
export const PASSING_STORES = 'opened';

/** The name of a store that is there only while a process runs: of its machine, its number, and anything. */
const PASSING_STORE = /^[A-Za-z0-9-]+-\d+-[a-z0-9]+$/;

/**
 * Deletes a whole store that is there only while a process runs; a missing one is fine. Throws where the folder around it
 * is not called `PASSING_STORES`, where its name is no such store's, or where it is no store.
 */
export async function removePassingStore(folder: string, name: string): Promise<void> {
  const root =
    basename(folder) === PASSING_STORES && PASSING_STORE.test(name) ? join(folder, name) : undefined;
  if (root === undefined) throw new Error(`${name} is no store that is there for a while only.`);
  const found = await findFolder(folder, name);
  if (found === undefined) return;
  if (!(await isMarkedRoot(root)))
    throw new Error(`${root} does not carry the marker of a store: nothing is deleted there.`);
  await rm(found, { recursive: true, force: true });
}

function isOwn(steps: readonly string[]): boolean {
  const parents = steps.slice(0, -1).join('/');
  const name = steps.at(-1) ?? '';
  if (parents === SPILL_FOLDERS.join('/')) return isEntryName(name);
  if (parents !== names.conversations) return false;
  const mark = [names.deleted, names.importing].find((start) => name.startsWith(start)) ?? '';
  return isEntryName(name.slice(mark.length));
}

import { hash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import type { Log } from '../../core/ports/log.js';
import { APPEND, CREATE, entryAt, findFolder, makeFolder, openPlainFile } from '../../node/plainFile.js';
import { isLocked, ProcessLock } from '../../node/processLock.js';
import { firstHeader } from '../read/journalLines.js';
import { isEntryName, safeFileName } from '../files/safeFileName.js';
import { names, pathsOf, SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { isMarkedRoot, makeRoot } from '../files/storeRoot.js';
import { linkOfNote } from './segmentFile.js';
import { headOfSeals, unquoted, type SealHead } from './sealReport.js';

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

/**
 * Deletes a conversation with its spilled texts; a missing one is fine. Its folder is renamed first: from then on it no
 * longer exists for anybody, and `finishDeletions` completes what a crash interrupts. Throws errors for a person.
 */
export async function deleteConversation(
  paths: ConversationPaths,
  leaving: Leaving | undefined,
): Promise<void> {
  const { root, name, folder } = paths;
  if (await findFolder(root, names.conversations, name)) {
    if (await isLocked(paths.lock))
      throw new Error('This conversation is being written; stop its run or close its window first.');
    if (!(await isMarkedRoot(root)) && (await looksLikeOurs(paths))) await makeRoot(root);
    const tombstone = `${names.deleted}${name}`;
    await removeOwnFolder(root, names.conversations, tombstone);
    await rename(folder, join(root, names.conversations, tombstone));
  }
  await finish(root, name, leaving);
}

/** Completes interrupted deletions. */
export async function finishDeletions(root: string, log: Log, leaving: Leaving | undefined): Promise<void> {
  try {
    const folder = await findFolder(root, names.conversations);
    if (folder === undefined) return;
    for (const entry of await readdir(folder)) {
      if (entry.startsWith(names.deleted)) await finish(root, entry.slice(names.deleted.length), leaving);
    }
  } catch (error) {
    log.warn(`A deletion in ${root} could not be finished`, error);
  }
}

/** Removes the renamed folder last, because it marks the deletion as incomplete. */
async function finish(root: string, name: string, leaving: Leaving | undefined): Promise<void> {
  if ((await findFolder(root)) === undefined) return;
  const renamed = join(root, names.conversations, `${names.deleted}${name}`);
  const isNewOne = (await entryAt(join(root, names.conversations, name))) !== undefined;
  if (!isNewOne && (await findFolder(root, ...SPILL_FOLDERS, name)))
    await removeOwnFolder(root, ...SPILL_FOLDERS, name);
  if (!(await entryAt(renamed))) return;
  if (leaving) await leaveTombstone(root, `${names.deleted}${name}`, leaving);
  await removeOwnFolder(root, names.conversations, `${names.deleted}${name}`);
}

/** Recognises a store that was copied without its marker, or made before there was one. */
async function looksLikeOurs(paths: ConversationPaths): Promise<boolean> {
  return (
    (await firstHeader(paths)) !== undefined ||
    (await entryAt(join(paths.folder, names.legacyJournal))) !== undefined
  );
}

const WHY = ['asked', 'retention', 'replaced', 'interrupted'] as const;

/** What is left of a sealed conversation that was deleted. */
export interface Tombstone {
  readonly conversation: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /**
   * Somebody asked for it, the settings of retention did, or a newer copy took its place; of a deletion that was cut off and
   * completed later it is not known.
   */
  readonly why: (typeof WHY)[number];
  /** The last link of its seal, with how many lines it had. */
  readonly head: SealHead;
}

/** What a tombstone says besides what it is of. */
interface Leaving extends Pick<Tombstone, 'time' | 'why'> {
  readonly log: Log;
}

const TOMBSTONES = 'deleted.seal';
const TOMBSTONES_HEAD = 'agent-logbook deletions 1\n';

/** Leaves a tombstone of a conversation that is about to be removed from a folder; without a seal there is nothing to leave. */
async function leaveTombstone(root: string, name: string, { time, why, log }: Leaving): Promise<void> {
  try {
    const before = name.slice(names.deleted.length);
    const header = safeFileName(before) === before ? undefined : await firstHeader(pathsOf(root, name, name));
    const conversation = header?.conversation ?? before;
    const head = await headOfSeals(pathsOf(root, conversation, name));
    if (!head) return;
    const state = await makeFolder(root, names.state, names.imports);
    const lock = await ProcessLock.acquireBriefly(join(state, TOMBSTONES));
    try {
      const { tombstones, link, size } = await readTombstones(root);
      // A deletion that was cut off behind its tombstone has one.
      if (tombstones.some((each) => each.head.chain === head.chain)) return;
      const { segment, entries, chain } = head;
      const when = new Date(time).toISOString();
      const text = `${when} ${why} ${segment} ${entries} ${chain} ${JSON.stringify(conversation)}`;
      const path = join(root, names.state, TOMBSTONES);
      const isNew = size === 0;
      const handle = await openPlainFile(path, (await entryAt(path)) ? APPEND : CREATE);
      try {
        // What a write that was cut off has left.
        await handle.truncate(size);
        await handle.writeFile(`${isNew ? TOMBSTONES_HEAD : ''}${linkOfNote(link, text)} ${text}\n`);
        await handle.datasync();
      } finally {
        await handle.close();
      }
    } finally {
      await lock.release();
    }
  } catch (error) {
    // Whoever deletes wants it gone, above all.
    log.warn(`No tombstone of ${name} in ${root} could be left`, error);
  }
}

/** The tombstones of a store, and the first line that is not as it was written, from 1; undefined where all are. */
export async function readTombstones(root: string): Promise<{
  readonly tombstones: readonly Tombstone[];
  readonly broken?: number;
  /** What the next one is chained to. */
  readonly link: string;
  /** How much of the file was written whole, in bytes. */
  readonly size: number;
}> {
  const written = await readFile(join(root, names.state, TOMBSTONES)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const size = written.lastIndexOf('\n') + 1;
  const text = written.toString('utf8', 0, size);
  const [first = '', ...lines] = text.split('\n');
  let broken = text === '' || `${first}\n` === TOMBSTONES_HEAD ? undefined : 1;
  let link = hash('sha256', TOMBSTONES_HEAD, 'base64url');
  const tombstones: Tombstone[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    const [, told = '', rest = ''] = /^([\w-]{43}) (.*)$/.exec(line) ?? [];
    const [, when = '', word, segment, entries, chain = '', id = ''] =
      /^(\S+) (\w+) (\d{1,4}) (\d{1,12}) ([\w-]{43}) "(.*)"$/.exec(rest) ?? [];
    const why = WHY.find((each) => each === word);
    const time = Date.parse(when);
    const isTold = why !== undefined && !Number.isNaN(time);
    if (!isTold || linkOfNote(link, rest) !== told) broken ??= at + 2;
    if (told !== '') link = told;
    const head = { segment: Number(segment), entries: Number(entries), chain };
    if (isTold) tombstones.push({ conversation: unquoted(id), time, why, head });
  }
  return { tombstones, ...(broken !== undefined && { broken }), link, size };
}

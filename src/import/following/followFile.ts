import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { FollowedFile, type Gained } from './followedFile.js';
import { sidecarFiles, filesRead, type NamedFile, type OpenedFile } from '../importFile.js';
import { KnownParents } from '../tools/tool.js';
import { QUIET_MS } from './quietTime.js';
import { isSession } from '../reading/importResult.js';
import { changeBetween, stampOf, type FileStamp, type StampChange } from '../reading/fileStamp.js';
import { Spool } from '../spool/spool.js';
import { SpooledRecords } from '../spool/spooledRecords.js';

/** From which size on the first records of a file are given before the others are read, in bytes. */
const LONG_BYTES = 8 * 1024 * 1024;

/** A file that was read as far as it is written, or as its first records need, and that can be read on from there. */
export interface FollowedImport extends OpenedFile {
  readonly followed: FollowedFile;
  readonly path: string;
  /** What is known of the files in its folder. */
  readonly parents: KnownParents;
  /** How it was when it was looked at last. */
  stamp: FileStamp;
  /** Whether more of it can be read at once. */
  isMore: boolean;
}

/**
 * Reads a file from which only what it gains will be read from then on; of a long one only the first records. Undefined where it
 * cannot be followed so, and must be read as a whole each time. Rejects with errors of the file system; `onProgress` is called
 * now and then with how much of it was read, from 0 to 1, and may throw to end the reading. `isLookedThrough`: what its later
 * lines say of earlier ones is known before these are read.
 */
export async function followFile(
  path: string,
  onProgress: (done: number) => void,
  isLookedThrough = false,
): Promise<FollowedImport | undefined> {
  if (!path.endsWith('.jsonl')) return undefined;
  const parents = new KnownParents();
  const { files: beside, left } = await sidecarFiles(path, parents);
  // That is mostly said at the beginning; else the file is looked through first.
  const given = { beside, left, parents, onProgress };
  const first = isLookedThrough ? undefined : await begun(path, given, false);
  return first ?? (await begun(path, given, true));
}

/** How a followed file was found when it was looked at. */
export interface FollowLook {
  readonly change: StampChange;
  /** The folders that were there in which further files may appear that belong to it. */
  readonly folders: readonly string[];
  /** What it has gained, or gives because nothing more came; undefined where it was not read. */
  readonly gained: (Gained & { readonly readWith: readonly string[] }) | undefined;
}

/**
 * Looks at a file that is followed, and reads what it has gained, a few megabytes of it at most. Where nothing came, `isQuiet`
 * gives what has waited; so does a file that is gone. One that became another must be read anew. Throws errors of the file system.
 */
export async function lookAt(looked: FollowedImport, isQuiet: boolean): Promise<FollowLook> {
  const { followed, path, stamp: before } = looked;
  const readWith = followed.beside.map((file) => file.path);
  const now = stampOf(path, [...readWith, ...looked.parents.open], before);
  const change = changeBetween(before, now);
  const folders = now?.folders ?? [];
  if (change === 'written' || change === 'replaced') return { change, folders, gained: undefined };
  const settled = () => {
    const gained = followed.settle();
    looked.isMore ||= gained.isMore;
    return { change, folders, gained: { ...gained, readWith } };
  };
  if (change === 'gone') return settled();
  if (change === 'grownBeside') {
    const { files, left } = await filesRead(path, looked.parents);
    followed.beside = files;
    followed.left = left;
  }
  const gained = change !== 'none' || looked.isMore ? readOn(looked) : undefined;
  // Only now: what could not be read is read by the next look.
  if (now) looked.stamp = now;
  return !gained && isQuiet ? settled() : { change, folders, gained };
}

/** Reads the next lines of a file that is followed, a few megabytes at most. Throws errors of the file system. */
export function readOn(looked: FollowedImport): Gained & { readonly readWith: readonly string[] } {
  const { followed } = looked;
  const gained = followed.readOn();
  looked.isMore = gained.isMore;
  return { ...gained, readWith: followed.beside.map((file) => file.path) };
}

/** What is needed to begin to read a file. */
interface Begin {
  readonly beside: readonly NamedFile[];
  readonly left: number;
  readonly parents: KnownParents;
  readonly onProgress: (done: number) => void;
}

async function begun(
  path: string,
  { beside, left, parents, onProgress }: Begin,
  isLookedThrough: boolean,
): Promise<FollowedImport | undefined> {
  const paths = beside.map((file) => file.path);
  const stamp = stampOf(path, [...paths, ...parents.open]);
  if (!stamp) return undefined;
  const { size, changed } = stamp;
  const followed = FollowedFile.open(path);
  if (!followed) return undefined;
  if (!beside.every((file) => followed.grows(file))) {
    followed.close();
    return undefined;
  }
  const isGathered = beside.length > 0;
  const spool = new Spool();
  const giveUp = () => {
    spool.close();
    followed.close();
  };
  try {
    followed.beside = beside;
    followed.left = left;
    if (isGathered) followed.gather();
    if (isLookedThrough) followed.lookAhead();
    const records = new SpooledRecords(spool);
    const keep = (gained: Gained) => {
      for (const record of gained.records) records.add(record);
      return gained;
    };
    let gained = keep(followed.readOn());
    const isLong = size > LONG_BYTES && !isGathered;
    while (gained.isMore && !(isLong && isSession(records))) {
      onProgress(followed.bytes / size);
      await yieldToEventLoop();
      gained = keep(followed.readOn());
    }
    const isQuiet = Date.now() - changed > QUIET_MS;
    if (isGathered) await inParts(followed.gathered(isQuiet), keep, onProgress);
    if (!gained.isMore && followed.isWaiting && isQuiet) keep(followed.settle());
    if (followed.isVoid || !isSession(records)) {
      giveUp();
      return undefined;
    }
    const { format, id, title, facts, problems } = followed;
    const conversation = { id, title, records, ...(facts && { facts }) };
    return {
      format: format.name,
      conversations: [conversation],
      problems,
      readWith: paths,
      followed,
      path,
      parents,
      stamp,
      isMore: gained.isMore,
      close: () => spool.close(),
    };
  } catch (error) {
    giveUp();
    throw error;
  }
}

/** Keeps what was gathered of a session, a part after the other. */
async function inParts(
  parts: Iterable<Gained>,
  keep: (part: Gained) => void,
  onProgress: (done: number) => void,
): Promise<void> {
  for (const part of parts) {
    keep(part);
    onProgress(1);
    await yieldToEventLoop();
  }
}

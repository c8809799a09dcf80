import { errorCode } from '../core/errorCode.js';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { chmod, lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join, sep } from 'node:path';

/** Something is not the plain file or folder that it must be, but a link, a device or a trap. */
export class UnsafePathError extends Error {
  readonly code = 'EUNSAFE';
  constructor(readonly path: string) {
    super(`${path} is a link or a special file; nothing is read or written through it`);
  }
}

/** For the owner only, because records may contain secrets. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The stats of what is at a path, without following links; undefined where nothing is. */
export async function entryAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** What is at a path, without following links; undefined where nothing is, or none may look. For threads that may wait. */
export function entryNow(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * The path of a folder below `root`, or undefined where it does not exist.
 * Throws an `UnsafePathError` where `root` or any step on the way is not a plain folder.
 */
export async function findFolder(root: string, ...steps: readonly string[]): Promise<string | undefined> {
  const paths = [root, ...steps.map((_, at) => join(root, steps.slice(0, at + 1).join(sep)))];
  const entries = await Promise.all(paths.map(entryAt));
  for (const [at, path] of paths.entries()) {
    const entry = entries[at];
    if (!entry) return undefined;
    if (!entry.isDirectory()) throw new UnsafePathError(path);
  }
  return paths.at(-1);
}

/** Creates a folder below `root`, with its parents, readable for the owner only; never through a link. */
export async function makeFolder(root: string, ...steps: readonly string[]): Promise<string> {
  let path = root;
  for (const step of [undefined, ...steps]) {
    if (step !== undefined) path = join(path, step);
    const entry = await entryAt(path);
    if (entry && !entry.isDirectory()) throw new UnsafePathError(path);
    if (entry) continue;
    // Two writers may create it at the same moment: with `recursive`, an existing folder is not an error.
    await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    await chmod(path, FOLDER_MODE);
  }
  return path;
}

const flags: Partial<typeof constants> = constants;
/** Without O_NONBLOCK, opening a named pipe would wait for its other end. Windows has neither flag. */
const CAREFUL = (flags.O_NOFOLLOW ?? 0) | (flags.O_NONBLOCK ?? 0);

/** Flags to read. */
export const READ = constants.O_RDONLY;
/** Flags to read and append: every write goes to the current end. */
export const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
/** Flags to create a file that must not exist, and append to it. */
export const CREATE = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;

/** Opens a regular file. Throws an `UnsafePathError` for links and special files. */
export async function openPlainFile(path: string, mode: number): Promise<FileHandle> {
  const entry = await entryAt(path);
  if (entry && !entry.isFile()) throw new UnsafePathError(path);
  const handle = await open(path, mode | CAREFUL, FILE_MODE);
  try {
    if (!(await handle.stat()).isFile()) throw new UnsafePathError(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a regular file for reading, on a thread that may wait for it; throws like `openPlainFile`. */
export function openPlainFileSync(path: string): number {
  if (!lstatSync(path).isFile()) throw new UnsafePathError(path);
  const file = openSync(path, READ | CAREFUL);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new UnsafePathError(path);
}

/**
 * The first bytes of whatever is at a path, links followed, as many as are asked for and there; undefined where it cannot be read. For
 * threads that may wait: handing so small a read to another thread costs many times as much as the read.
 */
export function beginningOf(path: string, bytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, READ | (flags.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The bytes of a regular file, or undefined where there is none; throws like `openPlainFile`. */
export function readPlainFileSync(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openPlainFileSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The sync of a folder that is in progress, and the one that follows it, by the folder's path. */
interface FolderSyncs {
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

const folderSyncs = new Map<string, FolderSyncs>();

/**
 * Makes the directory entries of a folder survive a power cut. Windows cannot do this, and need not. Callers that come
 * while a sync of the folder is in progress, which may miss their entries, share the one that follows it.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const syncs: FolderSyncs = folderSyncs.get(path) ?? {};
  folderSyncs.set(path, syncs);
  syncs.next ??= followingSync(path, syncs);
  await syncs.next;
}

async function followingSync(path: string, syncs: FolderSyncs): Promise<void> {
  // Whoever waits for the one before is told of its failure.
  await (syncs.running ?? Promise.resolve()).catch(() => undefined);
  syncs.running = syncs.next;
  syncs.next = undefined;
  try {
    await syncOnce(path);
  } finally {
    syncs.running = undefined;
    if (folderSyncs.get(path)?.next === undefined) folderSyncs.delete(path);
  }
}

async function syncOnce(path: string): Promise<void> {
  const handle = await open(path, READ);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

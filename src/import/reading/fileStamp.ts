import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileOfPath } from '../../core/sessionInDatabase.js';
import { beginsAsDatabase } from '../../node/sqlite/databaseMark.js';

/** How much of the beginning of a file tells that it is the same one, in bytes. */
const HEAD_BYTES = 1024;

/**
 * What became of a file: nothing, it alone was written to, something beside it changed, it is another one on the disk that begins
 * the same, it is another one, or it is not there.
 */
export type StampChange = 'none' | 'grown' | 'grownBeside' | 'written' | 'replaced' | 'gone';

/** How a file, and those beside it, were on the disk at one time. */
export interface FileStamp {
  readonly size: number;
  readonly changed: number;
  /** Which file it is on its disk. */
  readonly file: number;
  readonly head: Uint8Array;
  /** How those were that are read with it, in short. */
  readonly beside: string;
  /** Whether what it holds of the session that a path in it names is what it was, though it was written to. */
  readonly isSame?: boolean;
  /** The folders that were there in which further files may appear that belong to it. */
  readonly folders: readonly string[];
}

/**
 * How a file is now, with those that are read with it; undefined where it is not there. Where its size and time are those of
 * `before`, nothing of it is read. It waits for the disk, so whoever must not wait asks it on another thread. What may not be
 * looked at is not there for us.
 */
export function stampOf(path: string, beside: readonly string[], before?: FileStamp): FileStamp | undefined {
  const file = fileOfPath(path);
  const about = aboutOf(file);
  if (!about) return undefined;
  const around = aroundOf(file, beside);
  const { size, mtimeMs: changed, ino } = about;
  if (before?.size === size && before.changed === changed && before.file === ino)
    return { size, changed, file: ino, head: before.head, ...around };
  const head = headOf(file, size);
  return head && { size, changed, file: ino, head, ...around };
}

/** What became of a file between two looks at it. */
export function changeBetween(before: FileStamp, now: FileStamp | undefined): StampChange {
  if (!now) return 'gone';
  if (isAnother(before, now)) return 'replaced';
  // One that was written anew with the same beginning is another file of the disk.
  if (before.file !== now.file) return 'written';
  if (now.isSame === true) return 'none';
  if (before.beside !== now.beside) return 'grownBeside';
  return before.size === now.size && before.changed === now.changed ? 'none' : 'grown';
}

/**
 * Whether a file is no longer the one that it was: shorter, or with another beginning. A database is written to anywhere, and
 * is another one only where its file is.
 */
function isAnother(before: FileStamp, now: FileStamp): boolean {
  if (beginsAsDatabase(now.head)) return before.file !== now.file;
  return (
    now.size < before.size || Buffer.compare(now.head.subarray(0, before.head.length), before.head) !== 0
  );
}

function aboutOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // What may not be looked at is not there for us.
    return undefined;
  }
}

/** The beginning of a file that has a size; undefined where it cannot be read. */
function headOf(path: string, size: number): Uint8Array | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const head = new Uint8Array(Math.min(size, HEAD_BYTES));
    // It may have become shorter since.
    return head.subarray(0, readSync(file, head, 0, head.length, 0));
  } catch {
    // It is gone, may not be read for a while, or a folder stands in its place: it is not there for us.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function aroundOf(path: string, beside: readonly string[]) {
  const isLines = path.endsWith('.jsonl');
  const folders = isLines ? foldersOf(path) : [];
  const there: string[] = [];
  // A database's latest changes lie beside it.
  const stamps = [...beside, ...(isLines ? [] : [`${path}-wal`]), ...folders].map((each) => {
    const about = aboutOf(each);
    if (about?.isDirectory() && folders.includes(each)) there.push(each);
    return `${about?.size ?? -1}:${about?.mtimeMs ?? 0}`;
  });
  return { beside: stamps.join(), folders: there };
}

/** The folders in which files may appear that belong to a file of lines: those of Claude Code's subagents, and of Codex's day. */
function foldersOf(path: string): readonly string[] {
  const isRollout = basename(path).startsWith('rollout-');
  return isRollout ? [dirname(path)] : [join(path.slice(0, -'.jsonl'.length), 'subagents')];
}

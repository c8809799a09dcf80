import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileOfPath } from '../core/sessionInDatabase.js';
import { beginsAsDatabase } from '../node/sqlite/databaseMark.js';

/** How much of the beginning of a file tells that it is the same one, in bytes. */
const HEAD_BYTES = 1024;

/**
 * What became of a file: nothing, it alone was written to, something beside it changed, it is another one on the disk that begins
 * the same, it is another one, or it is not there.
 */
export type StampChange = 'none' | 'grown' | 'grownBeside' | 'written' | 'replaced' | 'gone';

interface Stamp {
  readonly size: number;
  readonly changed: number;
  /** Which file it is on its disk. */
  readonly file: number;
  readonly head: Buffer;
}

/** Tells when a file, or one of those that were read with it, was written to, and when it was replaced. */
export class FileStamps {
  readonly #path: string;
  #last: Stamp | undefined;
  #beside = '';
  #folders: readonly string[] = [];

  constructor(path: string) {
    this.#path = fileOfPath(path);
  }

  /** Notes how the files are now; undefined where the first is not there. */
  async take(beside: readonly string[]): Promise<Stamp | undefined> {
    this.#last = await stampOf(this.#path);
    this.#beside = await this.#besideOf(beside);
    return this.#last;
  }

  /** The folders that were there in which further files may appear that belong to it. */
  get folders(): readonly string[] {
    return this.#folders;
  }

  /** What became of the files since that was asked last; then notes how they are now. */
  async changeOf(beside: readonly string[]): Promise<StampChange> {
    const before = this.#last;
    const besideBefore = this.#beside;
    const now = await stampOf(this.#path, before);
    if (!now) return 'gone';
    this.#last = now;
    this.#beside = await this.#besideOf(beside);
    if (before && isAnother(before, now)) return 'replaced';
    // One that was written anew with the same beginning is another file of the disk.
    if (before?.file !== now.file) return 'written';
    if (besideBefore !== this.#beside) return 'grownBeside';
    return before.size === now.size && before.changed === now.changed ? 'none' : 'grown';
  }

  async #besideOf(paths: readonly string[]): Promise<string> {
    const folders = foldersOf(this.#path);
    const all = [...paths, `${this.#path}-wal`, ...folders];
    const stamps = await Promise.all(all.map((path) => stat(path).catch(() => undefined)));
    this.#folders = folders.filter((_, at) => stamps[paths.length + 1 + at]?.isDirectory());
    return stamps.map((each) => `${each?.size ?? -1}:${each?.mtimeMs ?? 0}`).join();
  }
}

/**
 * Whether a file is no longer the one that it was: shorter, or with another beginning. A database is written to anywhere, and
 * is another one only where its file is.
 */
function isAnother(before: Stamp, now: Stamp): boolean {
  if (beginsAsDatabase(now.head)) return before.file !== now.file;
  return now.size < before.size || !now.head.subarray(0, before.head.length).equals(before.head);
}

/** Where its size and time are those of `before`, nothing of it is read. */
async function stampOf(path: string, before?: Stamp): Promise<Stamp | undefined> {
  const about = await stat(path).catch(() => undefined);
  if (!about) return undefined;
  if (before?.size === about.size && before.changed === about.mtimeMs && before.file === about.ino)
    return before;
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size, mtimeMs, ino } = await file.stat();
    const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return { size, changed: mtimeMs, file: ino, head: head.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}

/** The folders in which files may appear that belong to a file: those of Claude Code's subagents, and of Codex's day. */
function foldersOf(path: string): readonly string[] {
  if (!path.endsWith('.jsonl')) return [];
  const isRollout = basename(path).startsWith('rollout-');
  return isRollout ? [dirname(path)] : [join(path.slice(0, -'.jsonl'.length), 'subagents')];
}

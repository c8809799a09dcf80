import { lstatSync } from 'node:fs';
import { segmentsIn } from './journalLines.js';
import { entryAt } from '../../node/plainFile.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** How far a journal file was read, and its identity and size then. */
export interface FileStamp {
  readonly segment: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** The lines before this byte offset were read. */
  readonly covered: number;
  /** How many lines these are; undefined where they were not counted. */
  readonly lines?: number | undefined;
}

/** The current stamps of a conversation's journal files, without reading them. */
export async function stampsOf(paths: ConversationPaths): Promise<FileStamp[]> {
  const stamps: FileStamp[] = [];
  for (const segment of await segmentsIn(paths)) {
    const entry = await entryAt(paths.segment(segment));
    if (!entry?.isFile()) continue;
    stamps.push({ segment, size: entry.size, mtimeMs: entry.mtimeMs, ino: entry.ino, covered: 0 });
  }
  return stamps;
}

/**
 * Whether a conversation's journal files are those of some stamps. This thread waits for the disk, which takes a tenth of
 * what `stampsOf` does; what cannot be looked at is not the same.
 */
export function areSameNow(paths: ConversationPaths, stamps: readonly FileStamp[]): boolean {
  const entryOf = (segment: number) => lstatSync(paths.segment(segment), { throwIfNoEntry: false });
  try {
    const areSame = stamps.every((stamp) => {
      const entry = entryOf(stamp.segment);
      return entry?.isFile() === true && isSameFile(entry, stamp);
    });
    const last = stamps.at(-1);
    return areSame && last !== undefined && !entryOf(last.segment + 1);
  } catch {
    return false;
  }
}

/** Whether a file is unchanged. */
export function isSameFile(
  now: Pick<FileStamp, 'size' | 'mtimeMs' | 'ino'>,
  then: FileStamp | undefined,
): boolean {
  return now.size === then?.size && now.mtimeMs === then.mtimeMs && now.ino === then.ino;
}

/** Whether every file is unchanged, has only grown, or is new; both lists are in the order of the segments. */
export function onlyGrew(now: readonly FileStamp[], then: readonly FileStamp[]): boolean {
  return (
    now.length >= then.length &&
    now.every((stamp, at) => {
      const old = then[at];
      return (
        !old ||
        isSameFile(stamp, old) ||
        (old.segment === stamp.segment && old.ino === stamp.ino && stamp.size > old.size)
      );
    })
  );
}

/** Whether a value from a cache is a stamp. */
export function isStamp(value: unknown): value is FileStamp {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['segment', 'size', 'mtimeMs', 'ino', 'covered'].every(
      (key) => key in value && Number.isFinite((value as Record<string, unknown>)[key]),
    )
  );
}

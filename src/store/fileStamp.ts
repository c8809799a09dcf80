import { segmentsIn } from './journal/journalLines.js';
import { entryAt } from './plainFiles.js';
import type { ConversationPaths } from './storePaths.js';

/** How far one file of a journal was read, and what it looked like then. */
export interface FileStamp {
  readonly segment: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** Lines before this byte were read. */
  readonly covered: number;
}

/** What the files of a conversation's journal look like now; nothing of them is read. */
export async function stampsOf(paths: ConversationPaths): Promise<FileStamp[]> {
  const stamps: FileStamp[] = [];
  for (const segment of await segmentsIn(paths)) {
    const entry = await entryAt(paths.segment(segment));
    if (!entry?.isFile()) continue;
    stamps.push({ segment, size: entry.size, mtimeMs: entry.mtimeMs, ino: entry.ino, covered: 0 });
  }
  return stamps;
}

/** Whether a file has not been touched since. */
export function isSameFile(now: FileStamp, then: FileStamp | undefined): boolean {
  return now.size === then?.size && now.mtimeMs === then.mtimeMs && now.ino === then.ino;
}

/** Whether each file is untouched, has only grown, or is new; the order is that of the segments. */
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

import { stat } from 'node:fs/promises';
import type { Recording } from './recordings.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How old recordings are judged. */
export interface RecordingAge {
  /** How many days after it was last written to a recording is kept; 0 for ever. */
  readonly keepDays: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether somebody looks at a file. */
  readonly isOpen: (path: string) => boolean;
}

/** The recordings that are older than they are to be kept and that nobody looks at, the oldest first. */
export function oldRecordings(
  all: readonly Recording[],
  { keepDays, now, isOpen }: RecordingAge,
): readonly Recording[] {
  if (keepDays <= 0) return [];
  const old = all.filter(({ path, changed }) => now - changed > keepDays * DAY_MS && !isOpen(path));
  return old.sort((a, b) => a.changed - b.changed);
}

/**
 * Puts recordings into a bin, one by one, as long as each is the one that was judged: whatever was written to meanwhile, or is looked
 * at now, stays. Gives why those that should go could not, by their paths.
 */
export async function binRecordings(
  doomed: readonly Recording[],
  isOpen: (path: string) => boolean,
  bin: (path: string) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const failed = new Map<string, unknown>();
  for (const { path, bytes, changed } of doomed) {
    const now = await stat(path).catch(() => undefined);
    if (now?.size !== bytes || now.mtimeMs !== changed || isOpen(path)) continue;
    try {
      await bin(path);
    } catch (error) {
      failed.set(path, error);
    }
  }
  return failed;
}

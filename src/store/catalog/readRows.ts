import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import type { Log } from '../../core/ports/log.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { areSameNow } from '../read/fileStamp.js';
import { isBeingWritten } from '../read/journalLines.js';
import type { CatalogRow } from './catalogCache.js';
import { emptyStored } from './conversationSummary.js';
import { readRow, type RowsOnThread } from './readRow.js';

/** A conversation whose row is wanted, and the row that is kept of it. */
export interface WantedRow {
  readonly paths: ConversationPaths;
  readonly kept: CatalogRow | undefined;
}

/** What the files of a conversation say. */
export interface FolderRow {
  /** `'kept'`: the kept one is right; undefined: there is no such conversation. */
  readonly row: CatalogRow | 'kept' | undefined;
  /** Whether a process is writing it; looked up only where its row leaves that open. */
  readonly isWritten: boolean;
}

/** Reads the rows of conversations on another thread, each as `readRows` does, in their order. */
export type ReadRowsOnThread = (wanted: readonly WantedRow[]) => Promise<readonly FolderRow[]>;

/** How rows are read. */
export interface ReadRowsOptions {
  readonly log: Log;
  /** Whether this thread may wait for the disk, because nobody waits for it meanwhile. */
  readonly mayBlock: boolean;
  readonly onThread?: RowsOnThread | undefined;
}

/** How many conversations are read concurrently. */
const MAX_READS_AT_ONCE = 8;

/** Reads rows, in the order of `wanted`. Never rejects: a conversation that cannot be read has a row that says so. */
export async function readRows(
  wanted: readonly WantedRow[],
  { log, mayBlock, onThread }: ReadRowsOptions,
): Promise<readonly FolderRow[]> {
  const found = new Map<WantedRow, FolderRow>();
  const unsure: WantedRow[] = [];
  for (const each of wanted) {
    const { paths, kept } = each;
    // Nothing is waited for where that is not needed: there may be many thousands.
    const isSure = mayBlock && kept && !mayBeWritten(kept) && areSameNow(paths, kept.stamps);
    if (isSure) found.set(each, { row: 'kept', isWritten: false });
    else unsure.push(each);
  }
  await forEachAtOnce(unsure, MAX_READS_AT_ONCE, async (each) => {
    const { paths, kept } = each;
    const isSame = mayBlock && kept && areSameNow(paths, kept.stamps);
    const row = isSame ? kept : await rowOrDamage(each, log, onThread);
    const isWritten = row !== undefined && mayBeWritten(row) && (await isBeingWritten(paths));
    found.set(each, { row: row && row === kept ? 'kept' : row, isWritten });
  });
  return wanted.flatMap((each) => found.get(each) ?? []);
}

async function rowOrDamage(
  { paths, kept }: WantedRow,
  log: Log,
  onThread: RowsOnThread | undefined,
): Promise<CatalogRow | undefined> {
  try {
    return await readRow(paths, kept, onThread);
  } catch (error) {
    log.warn(`The conversation ${paths.id} could not be read`, error);
    return { conversation: paths.id, stamps: [], damaged: 1, maxSeq: 0, summary: emptyStored() };
  }
}

/** Whether somebody may be writing a conversation, as far as its row tells. */
export function mayBeWritten({ summary, stamps }: CatalogRow): boolean {
  return summary.outcome === 'open' || stamps.some(isIncomplete);
}

/** Whether the end of a file is no whole line. */
export function isIncomplete({ size, covered }: CatalogRow['stamps'][number]): boolean {
  return covered < size;
}

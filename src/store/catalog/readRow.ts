import { join } from 'node:path';
import type { CatalogRow } from './catalogCache.js';
import { addToStored, copyOfSummary, emptyStored, type StoredSummary } from './conversationSummary.js';
import { isSameFile, onlyGrew, stampsOf, type FileStamp } from '../read/fileStamp.js';
import { JournalLines } from '../read/journalLines.js';
import { isMuch } from '../read/openLines.js';
import { LineIndex } from '../read/lineIndex.js';
import { readLegacy } from '../format/legacyFormat.js';
import type { Log } from '../../core/ports/log.js';
import { entryAt } from '../../node/plainFile.js';
import { readRecord } from '../format/readRecord.js';
import { sourceAsRead } from '../files/importReport.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import { tryOnThread } from '../read/tryOnThread.js';

/** Reads the catalog row of a conversation on another thread. */
export type ReadRowOnThread = (
  paths: ConversationPaths,
  kept: CatalogRow | undefined,
) => Promise<CatalogRow | undefined>;

/** Where rows are read that take long, and who hears where that fails. */
export interface RowsOnThread {
  readonly row: ReadRowOnThread;
  readonly log: Log;
}

/**
 * The catalog row of a conversation: the cached row where the files are unchanged, extended where they have only grown,
 * else built from all records, by `beside` where that is much. Undefined where there is no such conversation.
 */
export async function readRow(
  paths: ConversationPaths,
  kept: CatalogRow | undefined,
  onThread?: RowsOnThread,
  signal?: AbortSignal,
): Promise<CatalogRow | undefined> {
  const stamps = await stampsOf(paths);
  if (stamps.length === 0) return await readOlderRow(paths, kept);
  const known = kept && kept.stamps.length > 0 && onlyGrew(stamps, kept.stamps);
  if (known && stamps.every((stamp, at) => isSameFile(stamp, kept.stamps[at]))) return kept;

  if (onThread && isMuch(stamps, known ? kept.stamps : [])) {
    const row = await tryOnThread(onThread.row(paths, kept), paths.id, onThread.log);
    if (row) return row.value;
  }
  const row = known ? await extended(paths, stamps, kept, signal) : undefined;
  return row ?? (await rowFrom(paths, stamps, emptyRow(paths.id), signal)).row;
}

/** A row to which nothing was added yet. */
function emptyRow(conversation: string): CatalogRow {
  return { conversation, stamps: [], damaged: 0, maxSeq: 0, summary: emptyStored() };
}

/**
 * A row with what was appended since; undefined where that repeats seqs, because then only all records together tell
 * which are copies.
 */
async function extended(
  paths: ConversationPaths,
  stamps: readonly FileStamp[],
  kept: CatalogRow,
  signal: AbortSignal | undefined,
): Promise<CatalogRow | undefined> {
  const { row, repeats } = await rowFrom(paths, stamps, kept, signal);
  return repeats ? undefined : row;
}

/**
 * A row with what stands in the files behind it, and whether that repeats seqs. `stamps` are those of the files before they
 * are read, so that what is written meanwhile is noticed at the next look.
 */
async function rowFrom(
  paths: ConversationPaths,
  stamps: readonly FileStamp[],
  kept: CatalogRow,
  signal: AbortSignal | undefined,
): Promise<{ readonly row: CatalogRow; readonly repeats: boolean }> {
  const states = kept.stamps.map(({ segment, covered }) => ({
    segment,
    covered,
    lines: undefined,
    rest: 0,
    header: undefined,
  }));
  const lines = new JournalLines(paths, new LineIndex(), states);
  lines.index.maxSeq = kept.maxSeq;
  const summary: StoredSummary = copyOfSummary(kept.summary);
  let repeats = false;
  await lines.extend((line, position) => {
    const record = readRecord(line, paths.id, position);
    repeats ||= record.seq <= kept.maxSeq;
    addToStored(summary, record);
  }, signal);
  const row = {
    conversation: paths.id,
    stamps: stamps.map((stamp) => ({ ...stamp, covered: coveredOf(lines, stamp.segment) })),
    damaged: lines.index.damagedCount + kept.damaged,
    maxSeq: lines.index.maxSeq,
    source:
      kept.source ??
      (await sourceAsRead(paths, lines.segments.find(({ segment }) => segment === 0)?.header?.source)),
    summary,
  };
  return { row, repeats };
}

function coveredOf(lines: JournalLines, segment: number): number {
  return lines.segments.find((state) => state.segment === segment)?.covered ?? 0;
}

async function readOlderRow(
  paths: ConversationPaths,
  kept: CatalogRow | undefined,
): Promise<CatalogRow | undefined> {
  const entry = await entryAt(join(paths.folder, names.legacyJournal));
  if (!entry?.isFile()) return undefined;
  const stamp = { segment: 0, size: entry.size, mtimeMs: entry.mtimeMs, ino: entry.ino, covered: entry.size };
  if (isSameFile(stamp, kept?.stamps[0])) return kept;
  const older = await readLegacy(paths);
  if (!older) return undefined;
  const summary = emptyStored();
  if ('records' in older) for (const record of older.records) addToStored(summary, record);
  return { conversation: paths.id, stamps: [stamp], damaged: 'why' in older ? 1 : 0, maxSeq: 0, summary };
}

import type { Log } from '../../core/ports/log.js';
import { appendAll } from '../../core/lists.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { isSameFile, onlyGrew, stampsOf, type FileStamp } from './fileStamp.js';
import { loadIndex, saveIndex } from './indexFile.js';
import { JournalLines, type SegmentState } from './journalLines.js';
import { LineIndex, type IndexColumns } from './lineIndex.js';
import { readSpans } from './readSpans.js';
import { SeqGaps, type SeqGap } from './seqGaps.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { tryOnThread } from './tryOnThread.js';

/** How many records make an index worth storing: a shorter journal is read faster than its index is written. */
export const MIN_SAVED_RECORDS = 2000;

/** How many bytes of a journal are read on a thread that others share, at most: their lines take a few milliseconds. */
export const MAX_BYTES_READ_HERE = 256 * 1024;

/** Reads the lines of a conversation on another thread. */
export type ReadLinesOnThread = (paths: ConversationPaths) => Promise<LinesState>;

/** Whether files have more that is not covered yet than a shared thread should read. */
export function isMuch(
  stamps: readonly FileStamp[],
  known: readonly Pick<FileStamp, 'segment' | 'covered'>[],
): boolean {
  const covered = (segment: number) => known.find((state) => state.segment === segment)?.covered ?? 0;
  const unread = stamps.reduce((sum, { segment, size }) => sum + Math.max(0, size - covered(segment)), 0);
  return unread > MAX_BYTES_READ_HERE;
}

/**
 * The lines of a conversation. The index stored beside the journal is used as it is where the files are unchanged, and
 * extended where they have only grown; otherwise everything is read again, by `beside` where that is much.
 */
export async function openLines(
  paths: ConversationPaths,
  log: Log,
  onThread?: ReadLinesOnThread,
  signal?: AbortSignal,
): Promise<JournalLines> {
  const { lines, isUntouched } = await keptLines(paths, log);
  if (isUntouched) return lines;
  if (onThread && isMuch(await stampsOf(paths), lines.segments)) {
    const state = await tryOnThread(onThread(paths), paths.id, log);
    if (state) return await linesFrom(paths, state.value);
  }
  await lines.extend(undefined, signal);
  return lines;
}

/** The lines as far as the index tells that is stored beside the journal, and whether that is all of them. */
export async function keptLines(paths: ConversationPaths, log: Log): Promise<CachedLines> {
  const kept = await fromCached(paths, log);
  if (kept?.isUntouched) await kept.lines.findWriter();
  return kept ?? { lines: new JournalLines(paths), isUntouched: false };
}

/** Lines as they travel between threads; see `linesStateOf`. */
export interface LinesState {
  readonly columns: IndexColumns;
  readonly maxSeq: number;
  readonly lineCount: number;
  readonly damaged: readonly DamagedLine[];
  readonly gaps: readonly SeqGap[];
  readonly segments: readonly SegmentState[];
}

/** Everything that was found out about lines, to be sent to another thread. */
export function linesStateOf({ index, segments }: JournalLines): LinesState {
  const { maxSeq, lineCount, lines, gaps } = index;
  return { columns: index.columnsFrom(0), maxSeq, lineCount, damaged: lines, gaps: gaps.list, segments };
}

/** Lines as another thread has read them. */
export async function linesFrom(paths: ConversationPaths, state: LinesState): Promise<JournalLines> {
  const index = LineIndex.of(state.columns);
  index.maxSeq = state.maxSeq;
  index.lineCount = state.lineCount;
  appendAll(index.lines, state.damaged);
  index.gaps = new SeqGaps(state.gaps);
  const lines = new JournalLines(paths, index, state.segments);
  lines.hasGrown = true;
  await lines.findWriter();
  return lines;
}

/** Stores the index of lines that were read to their end, if that is worth it. Never throws: it is only a cache. */
export async function saveLines(lines: JournalLines, log: Log): Promise<void> {
  if (lines.index.size < MIN_SAVED_RECORDS) return;
  try {
    const stamps = (await stampsOf(lines.paths)).map((stamp) => {
      const state = lines.segments.find(({ segment }) => segment === stamp.segment);
      return { ...stamp, covered: state?.covered ?? 0, lines: state?.lines };
    });
    await saveIndex(lines.paths, { index: lines.index, stamps });
  } catch (error) {
    log.debug(`The index of ${lines.paths.id} could not be kept: ${String(error)}`);
  }
}

/** Lines over a stored index, and whether the files are unchanged since. */
interface CachedLines {
  readonly lines: JournalLines;
  readonly isUntouched: boolean;
}

async function fromCached(paths: ConversationPaths, log: Log): Promise<CachedLines | undefined> {
  try {
    const kept = await loadIndex(paths);
    if (!kept) return undefined;
    const stamps = await stampsOf(paths);
    if (!onlyGrew(stamps, kept.stamps)) return undefined;
    const isUntouched = stamps.every((stamp, at) => isSameFile(stamp, kept.stamps[at]));
    if (!isUntouched && !(await endsAsCached(paths, kept.index))) return undefined;
    const states = kept.stamps.map(({ segment, covered, lines, size }) => ({
      segment,
      covered,
      lines,
      rest: size - covered,
      header: undefined,
    }));
    return { lines: new JournalLines(paths, kept.index, states), isUntouched };
  } catch (error) {
    log.debug(`The index of ${paths.id} cannot be used: ${String(error)}`);
    return undefined;
  }
}

/** Whether the last record of a stored index is still in its place. */
async function endsAsCached(paths: ConversationPaths, index: LineIndex): Promise<boolean> {
  if (index.size === 0) return true;
  const [last] = await readSpans(paths, index, index.size - 1, index.size);
  return last !== undefined && last.type !== 'unreadable' && index.find(last.id) === index.size - 1;
}

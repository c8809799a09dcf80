import type { Log } from '../../core/ports/log.js';
import { appendAll } from '../../core/lists.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { isSameFile, onlyGrew, stampsOf, type FileStamp, isStamp } from './fileStamp.js';
import { JournalLines, type SegmentState } from './journalLines.js';
import { LineIndex, type IndexColumns } from './lineIndex.js';
import { readSpans } from './readSpans.js';
import { SeqGaps, type SeqGap } from './seqGaps.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { tryOnThread } from './tryOnThread.js';
import { isObject } from '../../core/message.js';
import { loadChecked, saveChecked } from './checkedFile.js';

/**
 * The file: 16 bytes of header (`LGBKIDX` and a version, then the number of records and the size of the tail, 32 bits
 * each), the columns of the index and a tail of JSON. In the machine's byte order;
 * a machine with the other order sees a different version.
 */
const MAGIC = Buffer.from('LGBKIDX');
const VERSION = 2;
const HEAD_BYTES = 16;
const RECORD_BYTES = 8 + 4 + 8 + 4;

/** A stored index, with the stamps of the journal files it describes. */
interface StoredIndex {
  readonly index: LineIndex;
  readonly stamps: readonly FileStamp[];
}

/** Stores an index beside its journal. Throws errors of the file system. */
async function saveIndex(paths: ConversationPaths, { index, stamps }: StoredIndex): Promise<void> {
  const { starts, lengths, hashes, fingerprints } = index.columns();
  const { maxSeq, lineCount, lines, gaps } = index;
  const tail = Buffer.from(JSON.stringify({ stamps, maxSeq, lineCount, lines, gaps: gaps.list }));
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head[MAGIC.length] = VERSION;
  new Uint32Array(head.buffer, head.byteOffset, HEAD_BYTES / 4).set([starts.length, tail.length], 2);
  const columns = [starts, lengths, hashes, fingerprints].map(bytesOf);
  await saveChecked(paths.index, [head, ...columns, tail]);
}

/** The index stored beside a journal; undefined where it is missing, damaged or of another version. */
async function loadIndex(paths: ConversationPaths): Promise<StoredIndex | undefined> {
  const bytes = await loadChecked(paths.index);
  return bytes && bytes.length >= HEAD_BYTES ? parseIndex(bytes) : undefined;
}

/** The columns are views of the bytes read. */
function parseIndex(bytes: Buffer<ArrayBuffer>): StoredIndex | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION) return undefined;
  const { buffer } = bytes;
  const [count = 0, tailBytes = 0] = new Uint32Array(buffer, 8, 2);
  const tailAt = HEAD_BYTES + RECORD_BYTES * count;
  if (tailAt + tailBytes !== bytes.length) return undefined;
  const tail: unknown = JSON.parse(bytes.toString('utf8', tailAt));
  if (!isTail(tail)) return undefined;
  const index = LineIndex.of({
    starts: new Float64Array(buffer, HEAD_BYTES, count),
    lengths: new Uint32Array(buffer, HEAD_BYTES + 8 * count, count),
    hashes: new Uint32Array(buffer, HEAD_BYTES + 12 * count, 2 * count),
    fingerprints: new Uint32Array(buffer, HEAD_BYTES + 20 * count, count),
  });
  index.maxSeq = tail.maxSeq;
  index.lineCount = tail.lineCount;
  appendAll(index.lines, tail.lines);
  index.gaps = new SeqGaps(tail.gaps);
  return { index, stamps: tail.stamps };
}

interface Tail {
  readonly stamps: readonly FileStamp[];
  readonly maxSeq: number;
  readonly lineCount: number;
  readonly lines: readonly DamagedLine[];
  readonly gaps: readonly SeqGap[];
}

function isTail(value: unknown): value is Tail {
  return (
    isObject(value) &&
    typeof value.maxSeq === 'number' &&
    typeof value.lineCount === 'number' &&
    Array.isArray(value.stamps) &&
    value.stamps.every(isStamp) &&
    Array.isArray(value.lines) &&
    value.lines.every(isDamagedLine) &&
    Array.isArray(value.gaps) &&
    value.gaps.every(isGap)
  );
}

function isGap(value: unknown): value is SeqGap {
  return (
    isObject(value) &&
    Number.isFinite(value.low) &&
    Number.isFinite(value.high) &&
    isObject(value.before) &&
    typeof value.before.file === 'string'
  );
}

function isDamagedLine(value: unknown): value is DamagedLine {
  return (
    isObject(value) &&
    typeof value.file === 'string' &&
    (value.line === undefined || Number.isFinite(value.line)) &&
    Number.isFinite(value.offset) &&
    Number.isFinite(value.bytes) &&
    typeof value.why === 'string'
  );
}

function bytesOf(column: Float64Array | Uint32Array): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}

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

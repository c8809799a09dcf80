import type { FileHandle } from 'node:fs/promises';
import type { Log } from '../../core/ports/log.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { BytesOfLine, LineIndex, LineSpan } from './lineIndex.js';
import { openPlainFile, READ } from '../../node/plainFile.js';
import { errorCode } from '../../core/errorCode.js';
import { readRecord, unreadable } from '../format/readRecord.js';
import type { Check } from '../format/lineFormat.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { tryOnThread } from './tryOnThread.js';

/** How many bytes of adjacent lines are read at once. */
const READ_BYTES = 4 * 1024 * 1024;

/** A line that is longer, in bytes, takes so long to be checked and parsed that another thread should do it. */
const LONG_LINE = 1024 * 1024;

/** Reads the record on a line of a conversation elsewhere; `position` is that of the record. May reject. */
export type ReadRecordOnThread = (
  paths: ConversationPaths,
  line: LineSpan,
  position: number,
) => Promise<ReadRecord>;

/** Who reads long lines on another thread, and who hears of it where that fails. */
export interface RecordsOnThread {
  readonly record: ReadRecordOnThread;
  readonly log: Log;
}

/** Adjacent lines of one file. */
export interface LineRun {
  /** The position of the first record. */
  readonly first: number;
  /** Shorter than the spans where the file was truncated or deleted. */
  readonly bytes: Buffer;
  /** The place of each line in `bytes`. */
  readonly spans: readonly BytesOfLine[];
}

/** Memory that is read into again and again. */
export interface ReadRoom {
  bytes: Buffer;
}

/**
 * The lines at the positions from `start` up to, not including, `end`, in order; all must be in the index. With `room`, the
 * bytes of a run are valid only until the next is asked for, and no two may read into the same at once.
 */
export async function* readRuns(
  paths: ConversationPaths,
  index: LineIndex,
  start: number,
  end: number,
  room?: ReadRoom,
): AsyncGenerator<LineRun, void, undefined> {
  const files = new Map<number, FileHandle | undefined>();
  try {
    for (let at = start; at < end;) {
      const origin = index.span(at);
      const spans = index.adjacent(at, end, READ_BYTES);
      if (!files.has(origin.segment))
        files.set(origin.segment, await openIfThere(paths.segment(origin.segment)));
      const bytes = await readAt(files.get(origin.segment), origin.start, spans.at(-1)?.to ?? 0, room);
      yield { first: at, bytes, spans };
      at += spans.length;
    }
  } finally {
    for (const file of files.values()) await file?.close();
  }
}

/**
 * The records at the positions from `start` up to, not including, `end`; all must be in the index. Long lines are read by
 * `beside`, and here where that fails.
 */
export async function readSpans(
  paths: ConversationPaths,
  index: LineIndex,
  start: number,
  end: number,
  onThread?: RecordsOnThread,
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for (let at = start; at < end;) {
    const long = onThread ? firstLong(index, at, end) : end;
    for await (const run of readRuns(paths, index, at, long)) {
      for (let line = 0; line < run.spans.length; line++) records.push(recordIn(run, line, paths.id));
    }
    if (onThread && long < end) {
      const line = index.span(long);
      const record = await tryOnThread(onThread.record(paths, line, long), paths.id, onThread.log);
      records.push(record?.value ?? (await readLine(paths, line, long)));
    }
    at = long + 1;
  }
  return records;
}

/** The record on one line of a conversation. Throws errors of the file system. */
export async function readLine(
  paths: ConversationPaths,
  { segment, start, length }: LineSpan,
  position: number,
): Promise<ReadRecord> {
  const file = await openIfThere(paths.segment(segment));
  try {
    const bytes = await readAt(file, start, length);
    return recordIn({ first: position, bytes, spans: [{ from: 0, to: length }] }, 0, paths.id);
  } finally {
    await file?.close();
  }
}

/** The first position from `at` on whose line is long; `end` where none is. */
function firstLong(index: LineIndex, at: number, end: number): number {
  let next = at;
  while (next < end && index.span(next).length <= LONG_LINE) next++;
  return next;
}

/** The record on one line of a run; `check` is the state of its checksum, where somebody has compared it. */
export function recordIn(
  { first, bytes, spans }: LineRun,
  at: number,
  conversation: string,
  check?: Check,
): ReadRecord {
  const { from, to } = spans[at] ?? { from: 0, to: 0 };
  const line = bytes.subarray(from, to);
  const position = first + at;
  if (line.length === to - from) return readRecord(line, conversation, position, check);
  return unreadable(line, conversation, position, 'missing: the file was cut or deleted');
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openPlainFile(path, READ);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads bytes at an offset; fewer where the file ends early. */
async function readAt(
  file: FileHandle | undefined,
  start: number,
  length: number,
  room?: ReadRoom,
): Promise<Buffer> {
  if (room && room.bytes.length < length) room.bytes = Buffer.allocUnsafe(Math.max(length, READ_BYTES));
  const buffer = room ? room.bytes : Buffer.allocUnsafe(length);
  let filled = 0;
  while (file && filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

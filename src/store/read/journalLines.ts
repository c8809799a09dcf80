import { readdir, type FileHandle } from 'node:fs/promises';
import type { DamagedLine } from '../../ports/transcript.js';
import { readHeader, type JournalHeader } from '../format/journalHeader.js';
import { MAX_LINE_BYTES } from '../format/lineFormat.js';
import { LineIndex } from './lineIndex.js';
import { entryAt, findFolder, openPlainFile, READ } from '../../node/plainFile.js';
import { isLocked } from '../../node/processLock.js';
import { errorCode } from '../../core/errorCode.js';
import { readLines, type Rest } from './readLines.js';
import { SegmentScan, type RecordVisitor } from './segmentScan.js';
import { names, segmentName, segmentOf, type ConversationPaths } from '../files/storePaths.js';

/** How far a journal file has been read. */
export interface SegmentState {
  readonly segment: number;
  readonly header: JournalHeader | undefined;
  /** Everything before this byte offset is in the index; what follows is not a complete line yet. */
  readonly covered: number;
  /** How many lines these are, the header included; undefined where they were not counted. */
  readonly lines: number | undefined;
  /** The number of bytes after `covered`. */
  readonly rest: number;
}

/** The lines of a conversation's journal, across all of its files, as far as they have been read. */
export class JournalLines {
  readonly paths: ConversationPaths;
  readonly index: LineIndex;
  /** Whether anything has been read since construction. */
  hasGrown = false;
  #segments: SegmentState[];
  #isBeingWritten = false;
  /** How many bytes are still to be read, while they are. */
  #unread = 0;

  constructor(paths: ConversationPaths, index = new LineIndex(), segments: readonly SegmentState[] = []) {
    this.paths = paths;
    this.index = index;
    this.#segments = [...segments];
  }

  /** Damaged lines, including incomplete ones at the end of a file, unless somebody is writing there. */
  get damaged(): readonly DamagedLine[] {
    const truncated = this.#isBeingWritten ? [] : this.#segments.filter(({ rest }) => rest > 0);
    if (truncated.length === 0) return this.index.damaged;
    const why = 'not written to its end';
    return [
      ...this.index.damaged,
      ...truncated.map(({ segment, covered, lines, rest }) => ({
        file: segmentName(segment),
        ...(lines !== undefined && { line: lines + 1 }),
        offset: covered,
        bytes: rest,
        why,
      })),
    ];
  }

  get segments(): readonly SegmentState[] {
    return this.#segments;
  }

  /** About how many records there will be once what is being read is read: more than there are now. */
  get expected(): number {
    const { bytes, size } = this.index;
    return size + 1 + Math.floor(size === 0 ? 0 : (this.#unread * size) / bytes);
  }

  /** Reads what has been appended since the last time. */
  async extend(visit?: RecordVisitor, signal?: AbortSignal): Promise<void> {
    const pieces = this.pieces(visit);
    while (!signal?.aborted && !(await pieces.next()).done);
    await pieces.return();
  }

  /** The same piece by piece, for as long as somebody asks for the next. */
  async *pieces(visit?: RecordVisitor): AsyncGenerator<void, void, undefined> {
    const segments = await segmentsIn(this.paths);
    const sizeOf = async (segment: number) => (await entryAt(this.paths.segment(segment)))?.size ?? 0;
    const later = await Promise.all(segments.slice(1).map(sizeOf));
    for (const segment of segments) {
      for await (const unread of this.#read(segment, visit)) {
        this.#unread = later.reduce((sum, size) => sum + size, unread);
        yield;
      }
      later.shift();
    }
    await this.findWriter();
  }

  /** Finds out whether incomplete lines are being written now; to be called where nothing had to be read. */
  async findWriter(): Promise<void> {
    this.#isBeingWritten = this.#segments.some(({ rest }) => rest > 0) && (await isBeingWritten(this.paths));
  }

  /** Reads what is new of a segment; gives back after each piece how many bytes of it are left. */
  async *#read(segment: number, visit: RecordVisitor | undefined): AsyncGenerator<number, void, undefined> {
    const known = this.#segments.find((state) => state.segment === segment);
    const from = known?.covered ?? 0;
    const handle = await openPlainFile(this.paths.segment(segment), READ).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (!handle) return;
    try {
      const { size } = await handle.stat();
      if (known && (size === from + known.rest || size <= from)) return;
      const header = from > 0 ? (known?.header ?? (await readFirstLine(handle))) : undefined;
      const lines = from > 0 ? known?.lines : 0;
      const scan = new SegmentScan({ index: this.index, segment, header, lines, visit });
      const chunks = readLines(handle, scan, from, size);
      let chunk = await chunks.next();
      for (; !chunk.done; chunk = await chunks.next()) {
        // What follows is not damaged, but still to be read.
        this.#note(segment, scan, chunk.value, 0);
        yield size - chunk.value;
      }
      const { offset, bytes } = chunk.value;
      const isWhole = bytes > 0 && (await isWholeTail(handle, chunk.value, scan));
      this.#note(segment, scan, isWhole ? offset + bytes : offset, isWhole ? 0 : bytes);
    } finally {
      await handle.close();
    }
  }

  /** Notes how far a segment was read. */
  #note(segment: number, { header, lines }: SegmentScan, covered: number, rest: number): void {
    const known = this.#segments.find((state) => state.segment === segment);
    if (covered > (known?.covered ?? 0)) this.hasGrown = true;
    this.#segments = [
      ...this.#segments.filter((other) => other !== known),
      { segment, header, covered, lines, rest },
    ].sort((a, b) => a.segment - b.segment);
  }
}

/** Whether a process writes the conversation: then an incomplete line at the end of its files is no damage. */
export async function isBeingWritten({ lock }: ConversationPaths): Promise<boolean> {
  return await isLocked(lock).catch(() => false);
}

/** Whether the bytes after the last newline are as good as a line; if so, the scan has taken them. */
async function isWholeTail(handle: FileHandle, rest: Rest, scan: SegmentScan): Promise<boolean> {
  if (rest.bytes > MAX_LINE_BYTES) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(rest.bytes), 0, rest.bytes, rest.offset);
  return bytesRead === rest.bytes && scan.tail(buffer, rest.offset);
}

/** The longest header, in bytes; a longer first line is not one. */
const HEADER_BYTES = 64 * 1024;

async function readFirstLine(handle: FileHandle): Promise<JournalHeader | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  return end < 0 ? undefined : readHeader(buffer.subarray(0, end));
}

/** The header of a conversation's first file that has one; undefined where none has. */
export async function firstHeader(paths: ConversationPaths): Promise<JournalHeader | undefined> {
  for (const segment of await segmentsIn(paths)) {
    const handle = await openPlainFile(paths.segment(segment), READ);
    const header = await readFirstLine(handle).finally(() => handle.close());
    if (header) return header;
  }
  return undefined;
}

/** The segment numbers of a conversation's journal, in order; empty where the conversation does not exist. */
export async function segmentsIn(paths: ConversationPaths): Promise<number[]> {
  const folder = await findFolder(paths.root, names.conversations, paths.name);
  if (folder === undefined) return [];
  const found = (await readdir(folder)).map(segmentOf).filter((segment) => segment !== undefined);
  return found.sort((a, b) => a - b);
}

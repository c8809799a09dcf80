import { readdir, type FileHandle } from 'node:fs/promises';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { readHeader, type JournalHeader } from '../format/journalHeader.js';
import { MAX_LINE_BYTES } from '../format/lineFormat.js';
import { LineIndex } from './lineIndex.js';
import { entryAt, findFolder, openPlainFile, READ } from '../../node/plainFile.js';
import { isLocked } from '../../node/processLock.js';
import { errorCode } from '../../core/errorCode.js';
import { LINE_FEED, readLines, type Rest } from '../../node/lines.js';
import type { FactsVisitor } from './factTaker.js';
import { joinPart } from './scannedPart.js';
import { scannedParts, type ScanOnThread } from './scannedParts.js';
import { SegmentFindings, type RecordVisitor } from './segmentFindings.js';
import { SegmentScan } from './segmentScan.js';
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

/** How journals are read by several threads. */
export interface ReadOnThread {
  readonly scan: ScanOnThread;
  /** Takes the facts of the records that other threads have read, of which their visitor does not hear. */
  readonly take: FactsVisitor;
  /** Hears why other threads could not read on; this one then does. */
  readonly onFailure: (error: unknown) => void;
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

  /** The same piece by piece, for as long as somebody asks for the next; with `beside`, long files by several threads. */
  async *pieces(visit?: RecordVisitor, onThread?: ReadOnThread): AsyncGenerator<void, void, undefined> {
    const segments = await segmentsIn(this.paths);
    const sizeOf = async (segment: number) => (await entryAt(this.paths.segment(segment)))?.size ?? 0;
    const later = await Promise.all(segments.slice(1).map(sizeOf));
    for (const segment of segments) {
      for await (const unread of this.#read(segment, visit, onThread)) {
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
  async *#read(
    segment: number,
    visit: RecordVisitor | undefined,
    onThread: ReadOnThread | undefined,
  ): AsyncGenerator<number, void, undefined> {
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
      const findings = new SegmentFindings(this.index, segment, visit);
      const scan = new SegmentScan(findings, header, lines);
      const rest = { segment, scan, findings, from, to: size };
      let at = from;
      if (onThread && size - from > onThread.scan.leastBytes) {
        // The first lines are wanted before another thread could read them.
        at = (yield* this.#readHere(handle, rest, from + onThread.scan.partBytes)).offset;
        if (at > 0) at = yield* this.#readOnThread(onThread, { ...rest, from: at });
      }
      const { offset, bytes } = yield* this.#readHere(handle, { ...rest, from: at });
      const isWhole = bytes > 0 && (await isWholeTail(handle, { offset, bytes }, scan));
      this.#note(segment, scan, isWhole ? offset + bytes : offset, isWhole ? 0 : bytes);
    } finally {
      await handle.close();
    }
  }

  /** Reads a segment on, the lines that begin before `until`; gives back after each chunk how many bytes are left. */
  async *#readHere(
    handle: FileHandle,
    { segment, scan, from, to }: RestOfSegment,
    until = to,
  ): AsyncGenerator<number, Rest, undefined> {
    const chunks = readLines(handle, scan, from, to, until);
    for (;;) {
      const chunk = await chunks.next();
      if (chunk.done) return chunk.value;
      // What follows is not damaged, but still to be read.
      this.#note(segment, scan, chunk.value, 0);
      yield to - chunk.value;
    }
  }

  /**
   * Reads a segment on by several threads, as far as they come; gives back how many bytes are left, and in the end where
   * the next line begins.
   */
  async *#readOnThread(
    { scan: threads, take, onFailure }: ReadOnThread,
    { segment, scan, findings, from, to }: RestOfSegment,
  ): AsyncGenerator<number, number, undefined> {
    const parts = scannedParts(threads, this.paths, { segment, header: scan.header, from, to });
    let at = from;
    try {
      for (;;) {
        const next = await parts.next().catch((error: unknown) => {
          onFailure(error);
          return undefined;
        });
        // Where a part does not begin at the end of the one before, somebody has changed the file.
        if (!next || next.done || (next.value.begin ?? at) !== at) return at;
        const part = next.value;
        const first = this.index.size;
        const copies = joinPart(part, findings, scan.lines);
        if (scan.lines !== undefined) scan.lines += part.lines;
        take(part.facts, first, copies);
        if (part.begin !== undefined) at = part.end;
        this.#note(segment, scan, at, 0);
        yield to - at;
      }
    } finally {
      await parts.return();
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

/** The rest of a segment, and what reads and takes it. */
interface RestOfSegment {
  readonly segment: number;
  readonly scan: SegmentScan;
  readonly findings: SegmentFindings;
  readonly from: number;
  readonly to: number;
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
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
  return end < 0 ? undefined : readHeader(buffer.subarray(0, end));
}

/** The header of a conversation's first file that has one; undefined where none has. */
export async function firstHeader(paths: ConversationPaths): Promise<JournalHeader | undefined> {
  for (const segment of await segmentsIn(paths)) {
    const header = await headerOf(paths, segment);
    if (header) return header;
  }
  return undefined;
}

/** The header of one file of a conversation; undefined where it has none. */
export async function headerOf(
  paths: ConversationPaths,
  segment: number,
): Promise<JournalHeader | undefined> {
  const handle = await openPlainFile(paths.segment(segment), READ);
  try {
    return await readFirstLine(handle);
  } finally {
    await handle.close();
  }
}

/** The segment numbers of a conversation's journal, in order; empty where the conversation does not exist. */
export async function segmentsIn(paths: ConversationPaths): Promise<number[]> {
  const folder = await findFolder(paths.root, names.conversations, paths.name);
  if (folder === undefined) return [];
  const found = (await readdir(folder)).map(segmentOf).filter((segment) => segment !== undefined);
  return found.sort((a, b) => a - b);
}

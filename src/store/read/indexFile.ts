import { appendAll } from '../../core/lists.js';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { isObject } from '../../core/message.js';
import type { DamagedLine } from '../../ports/transcript.js';
import { isStamp, type FileStamp } from './fileStamp.js';
import { LineIndex } from './lineIndex.js';
import { SeqGaps, type SeqGap } from './seqGaps.js';
import { openPlainFile, READ } from '../../node/plainFile.js';
import { errorCode } from '../../core/errorCode.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { writeAtomically } from '../../node/atomicFile.js';

/**
 * The file: 16 bytes of header (`LGBKIDX` and a version, then the number of records and the size of the tail, 32 bits
 * each), the columns of the index, a tail of JSON, and the CRC-32 of all that in 4 bytes. In the machine's byte order;
 * a machine with the other order sees a different version.
 */
const MAGIC = Buffer.from('LGBKIDX');
const VERSION = 2;
const HEAD_BYTES = 16;
const RECORD_BYTES = 8 + 4 + 8 + 4;
const CRC_BYTES = 4;
/** How many bytes are read at a time. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** The largest index that is kept, in bytes: 50 million records. */
const MAX_BYTES = 1_000_000_000;

/** A stored index, with the stamps of the journal files it describes. */
export interface StoredIndex {
  readonly index: LineIndex;
  readonly stamps: readonly FileStamp[];
}

/** Stores an index beside its journal. Throws errors of the file system. */
export async function saveIndex(paths: ConversationPaths, { index, stamps }: StoredIndex): Promise<void> {
  const { starts, lengths, hashes, fingerprints } = index.columns();
  const { maxSeq, lineCount, lines, gaps } = index;
  const tail = Buffer.from(JSON.stringify({ stamps, maxSeq, lineCount, lines, gaps: gaps.list }));
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head[MAGIC.length] = VERSION;
  new Uint32Array(head.buffer, head.byteOffset, HEAD_BYTES / 4).set([starts.length, tail.length], 2);
  const parts = [head, bytesOf(starts), bytesOf(lengths), bytesOf(hashes), bytesOf(fingerprints), tail];
  let crc = 0;
  for (const part of parts) crc = crc32(part, crc);
  await writeAtomically(paths.index, Buffer.concat([...parts, bytesOf(new Uint32Array([crc]))]));
}

/** The index stored beside a journal; undefined where it is missing, damaged or of another version. */
export async function loadIndex(paths: ConversationPaths): Promise<StoredIndex | undefined> {
  const handle = await openPlainFile(paths.index, READ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    return await readIndex(handle);
  } finally {
    await handle.close();
  }
}

/** The columns are views of the bytes read; the checksum is computed piece by piece, so as not to block for long. */
async function readIndex(handle: FileHandle): Promise<StoredIndex | undefined> {
  const { size } = await handle.stat();
  if (size < HEAD_BYTES + CRC_BYTES || size > MAX_BYTES) return undefined;
  const bytes = Buffer.allocUnsafeSlow(size);
  const end = size - CRC_BYTES;
  let crc = 0;
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(bytes, at, Math.min(PIECE_BYTES, size - at), at);
    if (bytesRead === 0) return undefined;
    crc = crc32(bytes.subarray(at, Math.min(at + bytesRead, end)), crc);
    at += bytesRead;
  }
  const kept = new Uint32Array(bytes.buffer.slice(end))[0];
  return crc === kept ? parseIndex(bytes, end) : undefined;
}

function parseIndex(bytes: Buffer<ArrayBuffer>, end: number): StoredIndex | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION) return undefined;
  const { buffer } = bytes;
  const [count = 0, tailBytes = 0] = new Uint32Array(buffer, 8, 2);
  const tailAt = HEAD_BYTES + RECORD_BYTES * count;
  if (tailAt + tailBytes !== end) return undefined;
  const tail: unknown = JSON.parse(bytes.toString('utf8', tailAt, end));
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

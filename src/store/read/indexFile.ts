import { appendAll } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { isStamp, type FileStamp } from './fileStamp.js';
import { LineIndex } from './lineIndex.js';
import { SeqGaps, type SeqGap } from './seqGaps.js';
import type { ConversationPaths } from '../files/storePaths.js';
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
  const columns = [starts, lengths, hashes, fingerprints].map(bytesOf);
  await saveChecked(paths.index, [head, ...columns, tail]);
}

/** The index stored beside a journal; undefined where it is missing, damaged or of another version. */
export async function loadIndex(paths: ConversationPaths): Promise<StoredIndex | undefined> {
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

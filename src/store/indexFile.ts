import { crc32 } from 'node:zlib';
import { isObject } from '../core/message.js';
import type { DamagedLine } from '../ports/transcript.js';
import { isStamp, type FileStamp } from './fileStamp.js';
import { LineIndex } from './lineIndex.js';
import { codeOf, openPlainFile, READ } from './plainFiles.js';
import type { ConversationPaths } from './storePaths.js';
import { writeWhole } from './writeWhole.js';

/**
 * The file: 16 bytes of head (`LGBKIDX` and a version, then the number of records and the size of the tail, both as
 * 32 bits), the columns of the index, a tail of JSON, and 4 bytes of CRC-32 over all before them. In the order of the
 * machine's bytes; another machine finds another version.
 */
const MAGIC = Buffer.from('LGBKIDX');
const VERSION = 1;
const HEAD_BYTES = 16;
const RECORD_BYTES = 8 + 4 + 8;

/** An index as it was kept, with what the journal's files looked like. */
export interface KeptIndex {
  readonly index: LineIndex;
  readonly stamps: readonly FileStamp[];
}

/** Keeps an index beside its journal. Throws as the file system does. */
export async function saveIndex(paths: ConversationPaths, { index, stamps }: KeptIndex): Promise<void> {
  const { starts, lengths, hashes } = index.columns();
  const { maxSeq, damagedCount, damaged } = index;
  const tail = Buffer.from(JSON.stringify({ stamps, maxSeq, damagedCount, damaged }));
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head[MAGIC.length] = VERSION;
  new Uint32Array(head.buffer, head.byteOffset, HEAD_BYTES / 4).set([starts.length, tail.length], 2);
  const parts = [head, bytesOf(starts), bytesOf(lengths), bytesOf(hashes), tail];
  let crc = 0;
  for (const part of parts) crc = crc32(part, crc);
  await writeWhole(paths.index, Buffer.concat([...parts, bytesOf(new Uint32Array([crc]))]));
}

/** The index that is kept beside a journal; undefined where it is missing, damaged or of another version. */
export async function loadIndex(paths: ConversationPaths): Promise<KeptIndex | undefined> {
  const handle = await openPlainFile(paths.index, READ).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const bytes = Buffer.alloc((await handle.stat()).size);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytesRead === bytes.length ? parseIndex(bytes) : undefined;
  } finally {
    await handle.close();
  }
}

function parseIndex(bytes: Buffer): KeptIndex | undefined {
  const end = bytes.length - 4;
  if (end < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION)
    return undefined;
  if (crc32(bytes.subarray(0, end)) !== new Uint32Array(copyOf(bytes, end, 4))[0]) return undefined;
  const [count = 0, tailBytes = 0] = new Uint32Array(copyOf(bytes, 8, 8));
  const lengthsAt = HEAD_BYTES + 8 * count;
  const hashesAt = lengthsAt + 4 * count;
  const tailAt = HEAD_BYTES + RECORD_BYTES * count;
  if (tailAt + tailBytes !== end) return undefined;
  const tail: unknown = JSON.parse(bytes.toString('utf8', tailAt, end));
  if (
    !isObject(tail) ||
    !Array.isArray(tail.stamps) ||
    !tail.stamps.every(isStamp) ||
    !Array.isArray(tail.damaged)
  )
    return undefined;
  const index = LineIndex.of(
    new Float64Array(copyOf(bytes, HEAD_BYTES, 8 * count)),
    new Uint32Array(copyOf(bytes, lengthsAt, 4 * count)),
    new Uint32Array(copyOf(bytes, hashesAt, 8 * count)),
  );
  index.maxSeq = Number(tail.maxSeq);
  index.damagedCount = Number(tail.damagedCount);
  index.damaged.push(...(tail.damaged as DamagedLine[]));
  return { index, stamps: tail.stamps };
}

/** Columns must begin at a multiple of their item's size, so they are copied. */
function copyOf(bytes: Buffer, at: number, length: number): ArrayBuffer {
  const copy = new ArrayBuffer(length);
  new Uint8Array(copy).set(bytes.subarray(at, at + length));
  return copy;
}

function bytesOf(column: Float64Array | Uint32Array): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}

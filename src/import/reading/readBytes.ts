import { appendFileSync, createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { beginningOf } from '../../node/plainFile.js';
import { temporaryFile } from '../../node/temporaryFile.js';
import { readFully } from './byteWindow.js';
import { takeZstd } from './zstd.js';

/** A transcript's bytes, text, or stream of bytes. */
export type TranscriptSource = Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A little less than the longest string in V8 has UTF-16 code units. */
export const MAX_TRANSCRIPT_BYTES = 512 * 1024 * 1024 - 1024;

/** A file that is packed by gzip or Zstandard, unpacked on the disk; its path is undefined where it unpacks to more than may be read. */
export interface UnpackedFile {
  readonly path: string | undefined;
  readonly remove: () => Promise<void>;
}

/** A packed file that is shorter holds little, in bytes, whatever it unpacks to. */
const MIN_PACKED_BYTES = 4 * 1024;

/**
 * Unpacks a file that is packed by gzip or Zstandard into a temporary one, so that as little of it is held as of one that is not packed. Undefined
 * for any other file, and for one that cannot be unpacked to its end or for which there is no room: whoever reads it as a whole tells
 * why. Rejects with the signal's reason.
 */
export async function unpackedOnDisk(
  path: string,
  signal: AbortSignal | undefined,
): Promise<UnpackedFile | undefined> {
  const packing = packingOf(path);
  if (packing === undefined) return undefined;
  const to = await temporaryFile('unpacked').catch(() => undefined);
  if (!to) return undefined;
  let length = 0;
  const most = new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      if (length > MAX_TRANSCRIPT_BYTES) done(new Error('It unpacks to too much.'));
      else done(null, chunk);
    },
  });
  try {
    if (packing === 'zstd') {
      const isAll = takeZstd(await readFile(path), MAX_TRANSCRIPT_BYTES, (chunk) => {
        signal?.throwIfAborted();
        appendFileSync(to.path, chunk, { mode: 0o600 });
      });
      return isAll ? to : { path: undefined, remove: to.remove };
    }
    const into = createWriteStream(to.path, { mode: 0o600 });
    await pipeline(createReadStream(path), createGunzip(), most, into, signal ? { signal } : {});
    return to;
  } catch {
    if (length > MAX_TRANSCRIPT_BYTES) return { path: undefined, remove: to.remove };
    await to.remove();
    signal?.throwIfAborted();
    return undefined;
  }
}

/** By what a file is packed that is no short one; undefined for any other. */
function packingOf(path: string): 'gzip' | 'zstd' | undefined {
  const beginning = beginningOf(path, MIN_PACKED_BYTES);
  if (beginning?.length !== MIN_PACKED_BYTES) return undefined;
  if (beginning.readUInt16BE(0) === GZIP) return 'gzip';
  return beginning.readUInt32BE(0) === ZSTD ? 'zstd' : undefined;
}

const GZIP = 0x1f8b;
const ZSTD = 0x28b52ffd;

/** Collects a source's bytes, at most `limit` of them. */
export async function readBytes(
  source: TranscriptSource,
  limit: number,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  if (typeof source === 'string') return cut(Buffer.from(source), limit);
  if (source instanceof Uint8Array) return cut(source, limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  const [only] = chunks;
  return cut(chunks.length === 1 && only ? only : Buffer.concat(chunks), limit);
}

function cut(bytes: Uint8Array, limit: number): { bytes: Uint8Array; isCut: boolean } {
  return { bytes: bytes.subarray(0, limit), isCut: bytes.length > limit };
}

/** Reads pieces of an open file that mostly follow each other: with each, what comes behind it. */
export class ReadAhead {
  readonly #file: number;
  #buffer: Buffer;
  #from = 0;
  #filled = 0;

  /** `bytes` are read at once, unless a single piece is longer. */
  constructor(file: number, bytes: number) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  /** The bytes of a piece, until the next call; `end` is where the file ends. Throws errors of the file system. */
  read(from: number, length: number, end: number): Buffer {
    if (from < this.#from || from + length > this.#from + this.#filled) this.#fill(from, length, end);
    const at = from - this.#from;
    return this.#buffer.subarray(at, at + length);
  }

  #fill(from: number, length: number, end: number): void {
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(length * 2);
    this.#filled = 0;
    const filled = Math.min(end - from, this.#buffer.length);
    readFully(this.#file, this.#buffer.subarray(0, filled), from);
    this.#from = from;
    this.#filled = filled;
  }
}

import { readFully } from './byteWindow.js';

/** A transcript's bytes, text, or stream of bytes. */
export type TranscriptSource = Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A little less than the longest string in V8 has UTF-16 code units. */
export const MAX_TRANSCRIPT_BYTES = 512 * 1024 * 1024 - 1024;

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

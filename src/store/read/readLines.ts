import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_BYTES } from '../format/lineFormat.js';

const NEWLINE = 0x0a;
/** How many bytes are read at once. */
export const CHUNK_BYTES = 1024 * 1024;
const BEHIND_BYTES = 64 * 1024;

/** Receives the lines of a file; `offset` is where a line starts, in bytes. */
export interface LineVisitor {
  /** Takes a complete line without its newline; the bytes are valid only during the call. */
  line(bytes: Buffer, offset: number): void;
  /** Takes a line that is too large to be loaded. */
  giant(offset: number, bytes: number): void;
}

/** What follows the last newline: 0 bytes, unless the file was truncated or is being written. */
export interface Rest {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Reads a file's lines from the byte `from`, which must be the start of one, up to `to`; gives back after each chunk where
 * the next line begins. Splits only at the byte 0x0A; takes the memory of one chunk, or of the longest line that is loaded.
 * Lines that begin at the byte `until` or behind it are left; the rest is then where the first of them begins. `room`: memory
 * for a chunk, which nobody else uses meanwhile.
 */
export async function* readLines(
  handle: FileHandle,
  visitor: LineVisitor,
  from = 0,
  to = Number.POSITIVE_INFINITY,
  until = to,
  room = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, to - from))),
): AsyncGenerator<number, Rest, undefined> {
  let buffer = room;
  let held = 0;
  let offset = from;
  /** The bytes of a giant line that were already discarded. */
  let skipped = 0;
  for (;;) {
    const at = offset + skipped + held;
    // Of what is behind, only the end of the last line is wanted.
    const wanted = at < until ? until - at : Math.min(BEHIND_BYTES, to - at);
    const length = offset < until ? Math.min(buffer.length - held, wanted) : 0;
    if (length <= 0) break;
    const { bytesRead } = await handle.read(buffer, held, length, at);
    if (bytesRead === 0) break;
    const filled = held + bytesRead;
    const chunk = buffer.subarray(0, filled);
    let start = 0;
    let end = chunk.indexOf(NEWLINE, held);
    while (end >= 0 && offset < until) {
      const bytes = skipped + end - start;
      if (bytes > MAX_LINE_BYTES) visitor.giant(offset, bytes);
      else visitor.line(chunk.subarray(start, end), offset);
      offset += bytes + 1;
      skipped = 0;
      start = end + 1;
      end = chunk.indexOf(NEWLINE, start);
    }
    held = filled - start;
    if (start > 0) buffer.copyWithin(0, start, filled);
    else if (held > MAX_LINE_BYTES || skipped > 0) {
      skipped += held;
      held = 0;
    } else if (held === buffer.length) {
      buffer = Buffer.concat([buffer], buffer.length * 2);
    }
    yield offset;
  }
  return { offset, bytes: offset < until ? skipped + held : 0 };
}

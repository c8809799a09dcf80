import type { FileHandle } from 'node:fs/promises';

/** What ends a line: no other separator does, because those are legal within JSON strings. */
export const LINE_FEED = 0x0a;
/** How many bytes are read at once. */
export const CHUNK_BYTES = 1024 * 1024;
const BEHIND_BYTES = 64 * 1024;

/** Receives the lines of a file; `offset` is where a line starts, in bytes. */
export interface LineVisitor {
  /** A longer line is not loaded. */
  readonly maxBytes: number;
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
 * the next line begins. Takes the memory of one chunk, or of the longest line that is loaded.
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
  const { maxBytes } = visitor;
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
    let end = chunk.indexOf(LINE_FEED, held);
    while (end >= 0 && offset < until) {
      const bytes = skipped + end - start;
      if (bytes > maxBytes) visitor.giant(offset, bytes);
      else visitor.line(chunk.subarray(start, end), offset);
      offset += bytes + 1;
      skipped = 0;
      start = end + 1;
      end = chunk.indexOf(LINE_FEED, start);
    }
    held = filled - start;
    if (start > 0) buffer.copyWithin(0, start, filled);
    else if (held > maxBytes || skipped > 0) {
      skipped += held;
      held = 0;
    } else if (held === buffer.length) {
      buffer = Buffer.concat([buffer], buffer.length * 2);
    }
    yield offset;
  }
  return { offset, bytes: offset < until ? skipped + held : 0 };
}

const LOOK_BYTES = 16 * 1024;

/** Where the first line begins from a byte on, which is not the first of the file; undefined where none does before `until`. */
export async function firstLineFrom(
  handle: FileHandle,
  from: number,
  until: number,
): Promise<number | undefined> {
  const room = Buffer.allocUnsafe(LOOK_BYTES);
  for (let at = from - 1; at < until - 1;) {
    const { bytesRead } = await handle.read(room, 0, Math.min(room.length, until - 1 - at), at);
    if (bytesRead === 0) return undefined;
    const found = room.subarray(0, bytesRead).indexOf(LINE_FEED);
    if (found >= 0) return at + found + 1;
    at += bytesRead;
  }
  return undefined;
}

/** Whether a file of some bytes ends within a line, as a crash or a full disk leaves it. */
export async function endsWithinLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== LINE_FEED;
}

/** The lines in some bytes, without their line feeds; the last one may have none. They are views of the bytes. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.subarray(from, end < 0 ? bytes.length : end);
    yield line;
    from += line.length + 1;
  }
}

/**
 * Memory through which bytes pass that are read from anywhere, and come out as whole lines: what is behind the last line feed
 * waits for its rest. It takes what it is given at first, more only where a line is longer.
 */
export class LineRoom {
  #room: Buffer;
  #held = 0;
  /** How many of the bytes that are held were given out. */
  #given = 0;

  constructor(room: Buffer) {
    this.#room = room;
  }

  /** How long the line is at least that waits for its rest, in bytes. */
  get waiting(): number {
    return this.#held - this.#given;
  }

  /** Where the next bytes are to be put; what was given out before is valid no more. */
  free(): Buffer {
    this.#room.copyWithin(0, this.#given, this.#held);
    this.#held -= this.#given;
    this.#given = 0;
    if (this.#held === this.#room.length) this.#room = Buffer.concat([this.#room], 2 * this.#held);
    return this.#room.subarray(this.#held);
  }

  /** The whole lines up to so many bytes more, which were put there; what waits is whole where nothing follows. */
  lines(bytes: number, isEnd: boolean): Buffer {
    this.#held += bytes;
    this.#given = isEnd ? this.#held : this.#room.lastIndexOf(LINE_FEED, this.#held - 1) + 1;
    return this.#room.subarray(0, this.#given);
  }
}

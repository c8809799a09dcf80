import { readSync } from 'node:fs';

/** How much of a file is read at once, in bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** A part of a file that moves on while its lines are read. */
export interface ByteWindow {
  /** What is held of the file, from `offset` on. */
  readonly bytes: Uint8Array;
  /** Where the first of these bytes stands in the file. */
  readonly offset: number;
  /** Whether these bytes reach to the end of the file. */
  readonly isEnd: boolean;
  /** Holds more of the file, at least twice as much where so much is left. */
  more(): void;
  /** Holds no longer what stands before this position in `bytes`, where that is worth while; gives its new position. */
  forget(before: number): number;
}

/** A file, or a part of one, that is held as a whole. */
export class WholeBytes implements ByteWindow {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly isEnd = true;

  /** `offset` is where the part begins in the file. */
  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.offset = offset;
  }

  more(): void {
    throw new Error('All of the file is held already.');
  }

  forget(before: number): number {
    return before;
  }
}

/** An open file of which a few pieces are held at a time. Throws errors of the file system, and where the file got shorter. */
export class FileBytes implements ByteWindow {
  bytes: Uint8Array = new Uint8Array();
  offset: number;
  readonly #file: number;
  readonly #end: number;
  #buffer = Buffer.alloc(0);

  /** `end` is up to where the file is read, whatever is added to it meanwhile. */
  constructor(file: number, from: number, end: number) {
    this.#file = file;
    this.offset = from;
    this.#end = end;
  }

  get isEnd(): boolean {
    return this.offset + this.bytes.length >= this.#end;
  }

  more(): void {
    const held = this.bytes.length;
    const wanted = Math.min(this.#end - this.offset - held, Math.max(CHUNK_BYTES, held));
    if (this.#buffer.length < held + wanted) {
      const larger = Buffer.allocUnsafeSlow(Math.max(held + wanted, 2 * CHUNK_BYTES));
      this.#buffer.copy(larger, 0, 0, held);
      this.#buffer = larger;
    }
    readFully(this.#file, this.#buffer.subarray(held, held + wanted), this.offset + held);
    this.bytes = this.#buffer.subarray(0, held + wanted);
  }

  forget(before: number): number {
    const held = this.bytes.length;
    const done = Math.min(before, held);
    if (done < CHUNK_BYTES && done < held) return before;
    this.#buffer.copyWithin(0, done, held);
    this.offset += done;
    this.bytes = this.#buffer.subarray(0, held - done);
    return before - done;
  }
}

/** Fills a buffer from a position of a file; throws where the file is shorter. */
export function readFully(file: number, buffer: Uint8Array, position: number): void {
  for (let filled = 0; filled < buffer.length;) {
    const count = readSync(file, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) throw new Error('The file became shorter while it was read.');
    filled += count;
  }
}

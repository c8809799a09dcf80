import { readFully } from './byteWindow.js';

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

import { closeSync, fstatSync, openSync } from 'node:fs';
import type { EntriesOnDisk, Entry } from './entries.js';
import { isWholeValue } from './fileEntries.js';
import { readFully, WholeBytes } from './byteWindow.js';
import { JsonLines, valueIn, type LineReporter } from './jsonLines.js';
import { ReadAhead } from './readBytes.js';

/** How much of a file is read at once, unless a line is longer, in bytes: little at first, for what is shown at once. */
const FIRST_CHUNK_BYTES = 1024 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** How much is read around a value that is asked for again, in bytes. */
const AHEAD_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;

/**
 * A file of lines that is read while it is written, a piece after the other: as entries it is the piece that was read last. Of
 * what was read before, only single values are read again. Throws errors of the file system, and where another file has
 * taken its place.
 */
export class GrowingFile implements EntriesOnDisk {
  failure: Error | undefined;
  readonly path: string;
  readonly #sink: LineReporter;
  #ino: number | undefined;
  #offset = 0;
  #line = 1;
  #piece: readonly Entry[] = [];
  #isAll = false;
  #again: { readonly file: number; readonly ahead: ReadAhead } | undefined;

  constructor(path: string, sink: LineReporter) {
    this.path = path;
    this.#sink = sink;
  }

  /** How much of it was read, in bytes. */
  get bytes(): number {
    return this.#offset;
  }

  /** Whether the latest piece was the last one that there was. */
  get isAll(): boolean {
    return this.#isAll;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#piece[Symbol.iterator]();
  }

  /** Reads the next whole lines, as far as there are any; a last line that is not whole waits for its rest. */
  readOn(): readonly Entry[] {
    const { file, size } = this.#open();
    try {
      const bytes = this.#nextLines(file, size);
      const window = new WholeBytes(bytes, this.#offset);
      const lines = new JsonLines(window, this.#sink, this.#line);
      this.#piece = [...lines.read()];
      this.#line = lines.line;
      this.#offset += bytes.length;
      return this.#piece;
    } finally {
      closeSync(file);
    }
  }

  /** Its first values, as many as are asked for and there; it is as if nothing had been read. */
  head(count: number): readonly Entry[] {
    const { file, size } = this.#open();
    try {
      const found: Entry[] = [];
      const window = new WholeBytes(this.#nextLines(file, size));
      for (const entry of new JsonLines(window, this.#sink).read()) if (found.push(entry) >= count) break;
      return found;
    } finally {
      closeSync(file);
    }
  }

  valueAt(offset: number, length: number): unknown {
    if (!this.#again) {
      const { file } = this.#open();
      this.#again = { file, ahead: new ReadAhead(file, AHEAD_BYTES) };
    }
    return valueIn(this.#again.ahead.read(offset, length, this.#offset));
  }

  /** Holds the file open no longer; it is opened again where it is needed. */
  rest(): void {
    if (this.#again) closeSync(this.#again.file);
    this.#again = undefined;
    this.#piece = [];
  }

  /** The bytes of the next whole lines of a file that has grown to a size; none where there is no whole one. */
  #nextLines(file: number, size: number): Uint8Array {
    for (let wanted = this.#offset === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES; ; wanted *= 2) {
      const bytes = Buffer.allocUnsafeSlow(Math.min(wanted, size - this.#offset));
      readFully(file, bytes, this.#offset);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      const isAll = this.#offset + bytes.length >= size;
      if (!isAll && end === 0) continue;
      this.#isAll = isAll;
      return isAll && isWholeValue(bytes.subarray(end)) ? bytes : bytes.subarray(0, end);
    }
  }

  #open(): { readonly file: number; readonly size: number } {
    const file = openSync(this.path, 'r');
    const { ino, size } = fstatSync(file);
    this.#ino ??= ino;
    if (ino === this.#ino && size >= this.#offset) return { file, size };
    closeSync(file);
    throw new Error('The file was replaced while it was read.');
  }
}

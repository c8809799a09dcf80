import { closeSync, fstatSync, openSync } from 'node:fs';
import type { EntriesOnDisk, Entry } from './entries.js';
import { FileBytes, readFully } from './byteWindow.js';
import { ReadAhead } from './readBytes.js';
import { valueEnd } from './jsonBytes.js';
import { JsonLines, listStart, valueIn, type LineReporter } from './jsonLines.js';

/** Up to which size the values of a file are held as a whole, in bytes; of longer ones they are read again and again. */
export const HELD_FILE_BYTES = 16 * 1024 * 1024;

/** How much of a file tells whether it is one of lines, in bytes. */
const HEAD_BYTES = 8 * 1024 * 1024;

/** How much is read around a value that is asked for again, in bytes: the next one is mostly beside it. */
const AHEAD_BYTES = 256 * 1024;

/** A longer last line of a growing file is whole when it has a line feed, in bytes. */
const MAX_LAST_LINE = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** What the system says of a file by which it is known to be the same. */
interface Stamp {
  readonly ino: number;
  readonly size: number;
}

/**
 * The values of a file of lines, read from the disk each time that they are gone through, up to the end that the file had
 * at first. Gone through, it throws errors of the file system, and where another file has taken its place.
 */
export class FileEntries implements EntriesOnDisk {
  readonly size: number;
  /** Whether the values are the items of the one list that the file is. */
  readonly isList: boolean;
  failure: Error | undefined;
  readonly #path: string;
  readonly #stamp: Stamp;
  readonly #from: number;
  readonly #sink: LineReporter;
  readonly #onRead: (bytes: number) => void;
  /** The last line of which was reported what could not be read. */
  #reported = 0;
  #isWarned = false;
  #file: number | undefined;
  #ahead: ReadAhead | undefined;

  constructor(
    path: string,
    stamp: Stamp & { readonly isList?: boolean },
    from: number,
    sink: LineReporter,
    onRead: (bytes: number) => void,
  ) {
    this.size = stamp.size;
    this.isList = stamp.isList === true;
    this.#path = path;
    this.#stamp = stamp;
    this.#from = from;
    this.#sink = sink;
    this.#onRead = onRead;
  }

  *[Symbol.iterator](): Generator<Entry> {
    const file = this.#open();
    try {
      const read = new JsonLines(new FileBytes(file, this.#from, this.size), this.#reporter());
      for (const entry of this.isList ? read.items() : read.read()) {
        yield entry;
        this.#onRead(entry.length ?? 0);
      }
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Reads the value again that stands there. */
  valueAt(offset: number, length: number): unknown {
    this.#file ??= this.#open();
    this.#ahead ??= new ReadAhead(this.#file, AHEAD_BYTES);
    return valueIn(this.#ahead.read(offset, length, this.size));
  }

  /** Gives up what is held to read values again. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#ahead = undefined;
  }

  #open(): number {
    const file = openSync(this.#path, 'r');
    const { ino, size } = fstatSync(file);
    if (ino === this.#stamp.ino && size >= this.#stamp.size) return file;
    closeSync(file);
    throw new Error('The file was replaced while it was read.');
  }

  /** Reports each thing once, however often the file is gone through. */
  #reporter(): LineReporter {
    return {
      unreadable: (line, why) => {
        if (line <= this.#reported) return;
        this.#reported = line;
        this.#sink.unreadable(line, why);
      },
      problem: (severity, what, line) => {
        if (this.#isWarned) return;
        this.#isWarned = true;
        this.#sink.problem(severity, what, line);
      },
    };
  }
}

/**
 * The values of a large file of JSON lines, and where it `mayBeList` of one that is a list of objects; undefined for every other file:
 * one that is packed or in another encoding, another JSON value, or text. Of a growing file without a last line that is not whole yet. Throws errors of the
 * file system.
 */
export function linesOf(
  path: string,
  sink: LineReporter,
  onRead: (bytes: number) => void,
  isGrowing = false,
  mayBeList = false,
): FileEntries | undefined {
  const file = openSync(path, 'r');
  try {
    const info = fstatSync(file);
    if (!info.isFile() || info.size === 0) return undefined;
    const head = new Uint8Array(Math.min(info.size, HEAD_BYTES));
    readFully(file, head, 0);
    const mark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
    if (!beginsWithLines(head, mark)) {
      const from = mayBeList ? listStart(new FileBytes(file, mark, info.size)) : undefined;
      const stamp = { ino: info.ino, size: info.size, isList: true };
      return from === undefined ? undefined : new FileEntries(path, stamp, from, sink, onRead);
    }
    const size = isGrowing ? wholeLines(file, info.size) : info.size;
    return new FileEntries(path, { ino: info.ino, size }, mark, sink, onRead);
  } finally {
    closeSync(file);
  }
}

/** How much of a growing file has been written in whole lines, in bytes; all of it where it is no file of JSON lines. */
export function wholePart(path: string): number {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const head = new Uint8Array(Math.min(size, HEAD_BYTES));
    readFully(file, head, 0);
    const mark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
    return beginsWithLines(head, mark) ? wholeLines(file, size) : size;
  } finally {
    closeSync(file);
  }
}

/** Where the last whole line of a file of JSON lines ends; a last value without a line feed is whole where it is JSON. */
function wholeLines(file: number, size: number): number {
  let start = size;
  while (start > 0) {
    const from = Math.max(0, start - AHEAD_BYTES);
    const piece = new Uint8Array(start - from);
    readFully(file, piece, from);
    const feed = piece.lastIndexOf(LINE_FEED);
    start = feed < 0 ? from : from + feed + 1;
    if (feed >= 0) break;
  }
  if (start === size || size - start > MAX_LAST_LINE) return start;
  const last = new Uint8Array(size - start);
  readFully(file, last, start);
  return isWholeValue(last) ? size : start;
}

/** Whether a last line is whole though no line feed has been written behind it: of a number, more digits may come. */
export function isWholeValue(last: Uint8Array): boolean {
  if (last.length === 0 || last.length > MAX_LAST_LINE) return false;
  try {
    const value = valueIn(last);
    return typeof value === 'object' && value !== null;
  } catch {
    // It waits for its rest.
    return false;
  }
}

/** Whether bytes begin with a JSON value that ends, with a further one on another line. */
function beginsWithLines(head: Uint8Array, from: number): boolean {
  let start = from;
  while (start < head.length && (head[start] ?? 0) <= 0x20) start++;
  if (head[start] !== 0x7b && head[start] !== 0x5b) return false;
  const end = valueEnd(head, start);
  if (end === undefined) return false;
  const next = head.indexOf(LINE_FEED, end);
  return next >= 0 && head.subarray(next).some((byte) => byte > 0x20);
}

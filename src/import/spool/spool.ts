import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadAhead } from '../reading/readBytes.js';
import { Numbers } from './numbers.js';

/** How much is written, and read ahead, at once by default, in bytes. */
const BLOCK_BYTES = 512 * 1024;

/** Whether the system keeps the name of an open file until it is closed. */
const STAYS = process.platform === 'win32';

/**
 * Values of an import that wait on the disk, as JSON, in the order in which they were added; each has a number. A file
 * of the person's own in the folder for temporary files, gone when it is closed. Throws errors of the file system.
 */
export class Spool {
  readonly #path = join(tmpdir(), `agent-logbook-${randomUUID()}`);
  readonly #file = openSync(this.#path, 'wx+', 0o600);
  readonly #values = new Lengths();
  readonly #waiting: Buffer;
  #filled = 0;
  #written = 0;
  readonly #ahead: ReadAhead;
  #isClosed = false;

  /** `blockBytes` are written, and read ahead, at once. */
  constructor(blockBytes = BLOCK_BYTES) {
    this.#waiting = Buffer.allocUnsafeSlow(blockBytes);
    this.#ahead = new ReadAhead(this.#file, blockBytes);
    // Where the system allows it, nothing is left even where the process is killed.
    if (!STAYS) unlinkSync(this.#path);
  }

  /** How many bytes it has taken. */
  get bytes(): number {
    return this.#values.end;
  }

  /** Adds a value; gives its number. */
  add(value: unknown): number {
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (this.#filled + bytes > this.#waiting.length) this.#flush();
    if (bytes > this.#waiting.length) this.#write(Buffer.from(text));
    else this.#filled += this.#waiting.write(text, this.#filled);
    this.#values.push(bytes);
    return this.#values.count - 1;
  }

  /** How many bytes a value takes. */
  sizeOf(number: number): number {
    return this.#values.lengthOf(number);
  }

  /** The value with a number; throws where it was given up. */
  read(number: number): unknown {
    // The system gives the number of a closed file to the next one.
    if (this.#isClosed) throw new Error('The records of this import were given up already.');
    const from = this.#values.beginOf(number);
    const length = this.sizeOf(number);
    if (from >= this.#written) {
      const at = from - this.#written;
      return JSON.parse(this.#waiting.toString('utf8', at, at + length)) as unknown;
    }
    return JSON.parse(this.#ahead.read(from, length, this.#written).toString()) as unknown;
  }

  /** Gives up the file and all that is in it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#file);
    if (STAYS) unlinkSync(this.#path);
  }

  #flush(): void {
    this.#write(this.#waiting.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#file, bytes, at, bytes.length - at, this.#written + at);
    this.#written += bytes.length;
  }
}

/** How many pieces stand between two whose beginning is noted; those between are added up. */
const STEP = 64;

/** Where pieces of a file begin that follow each other, at little more than four bytes each. */
export class Lengths {
  readonly #lengths = new Numbers();
  readonly #begins = new Numbers();
  #end = 0;

  /** How many pieces there are. */
  get count(): number {
    return this.#lengths.length;
  }

  /** Where the last piece ends, in bytes. */
  get end(): number {
    return this.#end;
  }

  /** Adds a piece behind the others. */
  push(length: number): void {
    if (this.count % STEP === 0) this.#begins.push(this.#end);
    this.#lengths.push(length);
    this.#end += length;
  }

  lengthOf(piece: number): number {
    return this.#lengths.at(piece);
  }

  /** Where a piece begins. */
  beginOf(piece: number): number {
    let begin = this.#begins.at(Math.floor(piece / STEP));
    for (let at = piece - (piece % STEP); at < piece; at++) begin += this.#lengths.at(at);
    return begin;
  }
}

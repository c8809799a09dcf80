import { closeSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeAtomically } from './atomicFile.js';
import { APPEND, openPlainFile, openPlainFileSync, readPlainFileSync } from './plainFile.js';

/** Each entry: 16 bytes (a mark, the sizes of its key and its value and the CRC-32 of both, 32 bits each), the key, the value. */
const MARK = 0x314b424c;
const HEAD_BYTES = 16;
/** A larger file is begun anew, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** A file is written anew where so much of it was written again since, in bytes, and more of it than not. */
const MAX_STALE_BYTES = 1024 * 1024;

/** A file up to so many bytes stays in memory. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** Of a larger file, entries up to so many bytes stay in memory: of very many of them, each is opened for nothing. */
const MAX_SMALL_BYTES = 4 * 1024;

interface Place {
  readonly at: number;
  readonly length: number;
  /** What stands there, where it is small. */
  readonly entry?: Buffer;
  /** Whether what stays in memory was found to be as it was written. */
  isSound?: boolean;
}

/**
 * Values by their keys in one file, to which several processes add at once: of a key, what was added last. It is a cache. What was
 * cut off or changed is not there, and of two processes that write the file anew, one loses what the other has added.
 */
export class CachedEntries {
  readonly #path: string;
  /** Where entries stand in the file as it was read. */
  readonly #found = new Map<string, Place>();
  /** The file as it was read, where it is small. */
  readonly #held: Buffer | undefined;
  /** What was added since, whether it is written or not. */
  readonly #added = new Map<string, Buffer>();
  #unwritten: Buffer[] = [];
  #waiting = 0;
  #isSound: boolean;
  #bytes: number;
  #stale = 0;

  /** Reads the file that is there, or none. Throws errors of the file system. */
  constructor(path: string) {
    this.#path = path;
    const file = readPlainFileSync(path) ?? Buffer.alloc(0);
    this.#held = file.length <= MAX_HELD_BYTES ? file : undefined;
    this.#bytes = file.length;
    this.#isSound = file.length <= MAX_FILE_BYTES && this.#take(file) === file.length;
  }

  /** How many bytes wait to be written. */
  get waiting(): number {
    return this.#waiting;
  }

  /** What was added of a key last; undefined where nothing was, or where it is damaged. Throws errors of the file system. */
  get(key: string): Buffer | undefined {
    const place = this.#found.get(key);
    const added = this.#added.get(key);
    const entry = added ?? (place && this.#entryAt(place));
    if (!entry || entry.length < HEAD_BYTES) return undefined;
    const valueAt = HEAD_BYTES + entry.readUInt32LE(4);
    // Asked for again and again.
    if (!added && place?.isSound === true) return entry.subarray(valueAt);
    if (crc32(entry.subarray(HEAD_BYTES)) !== entry.readUInt32LE(12)) return undefined;
    if (entry.toString('utf8', HEAD_BYTES, valueAt) !== key) return undefined;
    if (!added && place && (place.entry ?? this.#held)) place.isSound = true;
    return entry.subarray(valueAt);
  }

  /** Adds a value, which others find once it is written. */
  set(key: string, value: Buffer): void {
    const entry = entryOf(key, value);
    this.#stale += (this.#added.get(key) ?? this.#found.get(key))?.length ?? 0;
    this.#added.set(key, entry);
    this.#unwritten.push(entry);
    this.#waiting += entry.length;
  }

  /** Writes what was added. Rejects with errors of the file system. */
  async write(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    const added = Buffer.concat(this.#unwritten);
    this.#unwritten = [];
    this.#waiting = 0;
    const isMostlyStale = this.#stale > MAX_STALE_BYTES && this.#stale > this.#bytes / 2;
    if (!this.#isSound || isMostlyStale) {
      const before = [...this.#found].flatMap(([key, place]) =>
        this.#added.has(key) ? [] : this.#entryAt(place),
      );
      const all = Buffer.concat([...before, ...this.#added.values()]);
      await writeAtomically(this.#path, all, { isDurable: false });
      // It stands elsewhere now; what is read of it stays in memory.
      for (const [at, key] of [...this.#found.keys()].filter((key) => !this.#added.has(key)).entries())
        this.#added.set(key, before[at] ?? Buffer.alloc(0));
      this.#found.clear();
      [this.#isSound, this.#bytes, this.#stale] = [true, all.length, 0];
      return;
    }
    // In one call, so that what others add stands before it or behind it.
    const file = await openPlainFile(this.#path, APPEND);
    try {
      const { bytesWritten } = await file.write(added);
      this.#isSound = bytesWritten === added.length;
    } finally {
      await file.close();
    }
    this.#bytes += added.length;
  }

  #entryAt({ at, length, entry: small }: Place): Buffer {
    if (small) return small;
    if (this.#held) return this.#held.subarray(at, at + length);
    const file = openPlainFileSync(this.#path);
    try {
      const entry = Buffer.alloc(length);
      // Where another process has written it anew, something else stands there, and its sum or its key is another.
      return entry.subarray(0, readSync(file, entry, 0, length, at));
    } finally {
      closeSync(file);
    }
  }

  /** Takes all entries up to the first that is none; gives where that is. */
  #take(file: Buffer): number {
    let at = 0;
    while (at + HEAD_BYTES <= file.length && file.readUInt32LE(at) === MARK) {
      const keyAt = at + HEAD_BYTES;
      const valueAt = keyAt + file.readUInt32LE(at + 4);
      const end = valueAt + file.readUInt32LE(at + 8);
      if (end > file.length) return at;
      const key = file.toString('utf8', keyAt, valueAt);
      this.#stale += this.#found.get(key)?.length ?? 0;
      // A copy, so that it does not hold the whole file.
      const isApart = !this.#held && end - at <= MAX_SMALL_BYTES;
      this.#found.set(key, {
        at,
        length: end - at,
        ...(isApart && { entry: Buffer.from(file.subarray(at, end)) }),
      });
      at = end;
    }
    return at;
  }
}

function entryOf(key: string, value: Buffer): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(MARK, 0);
  head.writeUInt32LE(name.length, 4);
  head.writeUInt32LE(value.length, 8);
  head.writeUInt32LE(crc32(value, crc32(name)), 12);
  return Buffer.concat([head, name, value]);
}

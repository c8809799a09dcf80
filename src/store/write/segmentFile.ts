import { hash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { APPEND, entryAt, openPlainFile, READ } from '../../node/plainFile.js';

/** How many bytes are copied at a time. */
const COPY_BYTES = 1024 * 1024;

/** `displaced`: the path leads elsewhere or nowhere; `shrunk`: only `size` bytes are left of what was written. */
export type FileCondition =
  | { readonly kind: 'whole' }
  | { readonly kind: 'displaced' }
  | { readonly kind: 'shrunk'; readonly size: number };

/**
 * A journal file with an open descriptor, to which lines are appended.
 * Its holder must be its only writer.
 */
export class SegmentFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** The end of the last batch that was written completely. */
  #size: number;
  /** Whether bytes of a failed batch may still follow `#size`. */
  #isIncomplete = false;

  constructor(handle: FileHandle, path: string, size: number) {
    this.#handle = handle;
    this.#path = path;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends all of the bytes (by one write, if the system takes them at once) or none, and then throws. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#isIncomplete) await this.#cutBack();
    this.#isIncomplete = true;
    let written = 0;
    try {
      while (written < bytes.length) {
        written += (await this.#handle.write(bytes, written, bytes.length - written, null)).bytesWritten;
      }
    } catch (error) {
      // A failed truncation is retried before the next append; the first error tells what is wrong.
      await this.#cutBack().catch(() => undefined);
      throw error;
    }
    this.#isIncomplete = false;
    this.#size += bytes.length;
  }

  /** Resolves when everything appended so far survives a power cut. */
  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  /** What others have done to the file. */
  async condition(): Promise<FileCondition> {
    const size = this.#size;
    const [there, held] = await Promise.all([entryAt(this.#path), this.#handle.stat()]);
    if (there?.ino !== held.ino || there.dev !== held.dev) return { kind: 'displaced' };
    return held.size < size ? { kind: 'shrunk', size: held.size } : { kind: 'whole' };
  }

  /** How many bytes are left where others have cut off what was written; undefined where nothing is missing. */
  async shrunkTo(): Promise<number | undefined> {
    const { size } = await this.#handle.stat();
    return size < this.#size ? size : undefined;
  }

  /** Passes everything written so far to `take`, piece by piece, even when the file has been deleted. */
  async copyTo(take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, Math.max(1, this.#size)));
    for (let at = 0; at < this.#size;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, this.#size - at), at);
      if (bytesRead === 0) return;
      await take(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #cutBack(): Promise<void> {
    // A file that others have cut must not be filled up with NUL bytes.
    if ((await this.#handle.stat()).size > this.#size) await this.#handle.truncate(this.#size);
    this.#isIncomplete = false;
  }
}

/** So much of the end of a seal is read to go on with it, in bytes. */
const TAIL_BYTES = 256 * 1024;
/** Lines that are chained at once at most, so that what a broken write takes from a seal is little. */
const MAX_CHAINED = 500;
const NEWLINE = 0x0a;

/** The path of the seal of a segment. */
export function sealOf(segment: string): string {
  return segment.replace(/jsonl$/, 'seal');
}

/** A segment with a link of its seal. */
export interface SealedEnd {
  readonly segment: number;
  readonly chain: string;
}

/** The first two lines of a segment's seal; `after`: the segment before it, with the last link of its seal. */
export function sealHead(conversation: string, segment: number, after?: SealedEnd): string {
  const before = after ? `after ${after.segment} ${after.chain}` : 'after nothing';
  return `agent-logbook seal 2 ${segment} ${JSON.stringify(conversation)}\n${before}\n`;
}

/** A salt has so many bytes, which are so many characters in base64url. */
const SALT_BYTES = 18;
const SALT = 24;
const SALTS = 1_000;

/** Salts that nobody has used yet, one after the other, in base64url. */
let salts = '';
let salted = 0;

function freshSalt(): string {
  if (salted === salts.length) {
    salts = randomBytes(SALT_BYTES * SALTS).toString('base64url');
    salted = 0;
  }
  return salts.slice(salted, (salted += SALT));
}

/** What a line is hashed with: its salt and a newline stand before it, here. */
let scratch = Buffer.alloc(64 * 1024);

/** What is told of a line in its place: the hash of its salt and of it. Who has not the salt cannot guess the line by it. */
export function commitmentOf(salt: string, bytes: Buffer, from = 0, end = bytes.length): string {
  const length = SALT + 1 + end - from;
  if (scratch.length < length) scratch = Buffer.alloc(2 * length);
  scratch.write(salt, 0, SALT, 'latin1');
  scratch[SALT] = NEWLINE;
  bytes.copy(scratch, SALT + 1, from, end);
  return hash('sha256', scratch.subarray(0, length), 'base64url');
}

/** The link of some lines to what stands before them; `commitments` are theirs, each with a newline. */
export function linkOf(link: string, commitments: string): string {
  return hash('sha256', `${link}\n${commitments}`, 'base64url');
}

/** The same of a note in a seal, which no lines pass for. */
export function linkOfNote(link: string, text: string): string {
  return hash('sha256', `${link} note ${text}`, 'base64url');
}

/** Entries of a seal that are to be written, with the link of the last. */
export interface SealEntries {
  readonly bytes: Buffer;
  readonly link: string;
}

/**
 * The seal of a segment: a file beside it with an entry for each of its lines, a commitment and its salt. Those of the lines that are
 * appended together are chained to what stands before them, by one more hash. Lines are hashed as they are written and sealed once
 * they survive a power cut, so that a seal never tells of more than there is. To be used by the only writer of the segment.
 */
export class Seal {
  readonly #path: string;
  #link: string;
  /** How far the segment is hashed, in bytes. */
  #offset: number;
  /** The size of the seal as it was last written whole. */
  #size: number;
  #written: string | undefined;
  #waiting: Buffer[] = [];
  #isGone = false;

  private constructor(
    path: string,
    link: string,
    { offset, size }: { readonly offset: number; readonly size: number },
  ) {
    this.#path = path;
    this.#link = link;
    this.#offset = offset;
    this.#size = size;
  }

  /** Begins the seal of a new segment. */
  static begin(path: string, head: string): Seal {
    const seal = new Seal(path, hash('sha256', head, 'base64url'), { offset: 0, size: 0 });
    seal.#waiting.push(Buffer.from(head));
    return seal;
  }

  /**
   * Goes on with the seal of a segment that another process has left, and seals what was written behind it, which is noted; undefined
   * where there is none, or where the segment is not what it tells of.
   */
  static async resume(path: string, segment: string, notes: readonly string[]): Promise<Seal | undefined> {
    const end = await endOfSeal(path);
    if (!end) return undefined;
    const handle = await openPlainFile(segment, READ);
    try {
      const { size } = await handle.stat();
      if (size < end.offset || !(await isSealedUpTo(handle, end))) return undefined;
      const rest = Buffer.alloc(size - end.offset);
      const { bytesRead } = await handle.read(rest, 0, rest.length, end.offset);
      const late = rest.subarray(0, rest.lastIndexOf(NEWLINE, bytesRead - 1) + 1);
      const seal = new Seal(path, end.link, end);
      seal.#written = end.link;
      const count = late.reduce((sum, byte) => sum + (byte === NEWLINE ? 1 : 0), 0);
      for (const note of [...notes, ...(count > 0 ? [`sealed later: ${count}`] : [])]) seal.#note(note);
      seal.add(late);
      return seal;
    } finally {
      await handle.close();
    }
  }

  /** The last link that is written, for the segment that comes next; undefined where none is. */
  get chain(): string | undefined {
    return this.#written;
  }

  /** Whether others have taken away what was written of it: nothing more is, as what is left would tell of other lines. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Hashes lines that were appended to the segment, each with its newline. */
  add(lines: Uint8Array): void {
    if (this.#isGone) return;
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    let [text, commitments, count] = ['', '', 0];
    for (let from = 0, end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      const salt = freshSalt();
      const commitment = commitmentOf(salt, bytes, from, end);
      text += `${commitment} ${salt}\n`;
      commitments += `${commitment}\n`;
      from = end + 1;
      if (++count < MAX_CHAINED && from < bytes.length) continue;
      this.#link = linkOf(this.#link, commitments);
      text += `chain ${this.#link} ${this.#offset + from}\n`;
      [commitments, count] = ['', 0];
    }
    // At once: many short texts that live until the next sync cost more than their bytes.
    this.#waiting.push(Buffer.from(text, 'latin1'));
    this.#offset += bytes.length;
  }

  /** Takes what was hashed so far, to be written once the segment is synced. */
  take(): SealEntries {
    const taken = { bytes: Buffer.concat(this.#waiting), link: this.#link };
    this.#waiting = [];
    return taken;
  }

  /** Writes what was taken. Rejects with errors of the file system; then it is written with the next. */
  async write({ bytes, link }: SealEntries): Promise<void> {
    if (bytes.length === 0) return;
    try {
      const handle = await openPlainFile(this.#path, APPEND);
      try {
        const { size } = await handle.stat();
        this.#isGone = size < this.#size;
        if (this.#isGone) return;
        // What a write that failed has left, or another segment of this name.
        if (size > this.#size) await handle.truncate(this.#size);
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
    } catch (error) {
      this.#waiting.unshift(bytes);
      throw error;
    }
    this.#size += bytes.length;
    this.#written = link;
  }

  #note(text: string): void {
    this.#link = linkOfNote(this.#link, text);
    this.#waiting.push(Buffer.from(`note ${this.#link} ${this.#offset} ${text}\n`));
  }
}

/** Resolves when a seal survives a power cut as far as it is written; one that is not there is left alone. */
export async function syncSeal(path: string): Promise<void> {
  if (!(await entryAt(path))) return;
  const handle = await openPlainFile(path, APPEND);
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

interface SealEnd {
  readonly link: string;
  /** Its last entry. */
  readonly commitment: string;
  readonly salt: string;
  /** How far it tells of its segment, in bytes, and its own size. */
  readonly offset: number;
  readonly size: number;
}

/** The last mark of a seal with the link before it; what stands behind it, which was not written whole, is cut off. */
async function endOfSeal(path: string): Promise<SealEnd | undefined> {
  if (!(await entryAt(path))) return undefined;
  const handle = await openPlainFile(path, APPEND);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const tail = buffer.toString('latin1', 0, bytesRead);
    const [mark] = [...tail.matchAll(/\n(?:chain|note) ([\w-]{43}) (\d+)(?: [^\n]*)?(?=\n)/g)].slice(-1);
    if (!mark) return undefined;
    const entries = [...tail.slice(0, mark.index).matchAll(/\n([\w-]{43}) ([\w-]{24})$/gm)];
    const [, commitment, salt] = entries.at(-1) ?? [];
    if (commitment === undefined || salt === undefined) return undefined;
    const end = start + mark.index + mark[0].length + 1;
    if (end < size) await handle.truncate(end);
    return { link: mark[1] ?? '', commitment, salt, offset: Number(mark[2]), size: end };
  } finally {
    await handle.close();
  }
}

/** How much of a journal is read at first to find the beginning of its last sealed line, in bytes. */
const LINE_BYTES = 64 * 1024;

/** Whether the last sealed line of a segment ends where its seal, which is not believed that, says. */
async function isSealedUpTo(segment: FileHandle, { offset, commitment, salt }: SealEnd): Promise<boolean> {
  for (let length = LINE_BYTES; ; length *= 2) {
    const start = Math.max(0, offset - length);
    const bytes = Buffer.alloc(offset - start);
    const { bytesRead } = await segment.read(bytes, 0, bytes.length, start);
    if (bytesRead < bytes.length || bytes.at(-1) !== NEWLINE) return false;
    const line = bytes.length < 2 ? 0 : bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
    if (line > 0 || start === 0) return commitmentOf(salt, bytes, line, bytes.length - 1) === commitment;
  }
}

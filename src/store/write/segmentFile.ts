import type { FileHandle } from 'node:fs/promises';
import { entryAt } from '../../node/plainFile.js';

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

import type { FileHandle } from 'node:fs/promises';
import { entryAt } from '../plainFiles.js';

/** Bytes copied at a time. */
const COPY_BYTES = 1024 * 1024;

/**
 * One file of a journal behind a kept descriptor, at the end of which lines are added.
 * Whoever holds it is its only writer.
 */
export class SegmentFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** The end of the last batch that was written whole. */
  #size: number;
  /** Whether bytes of a failed batch may still stand behind `#size`. */
  #torn = false;

  constructor(handle: FileHandle, path: string, size: number) {
    this.#handle = handle;
    this.#path = path;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds all of the bytes, with one write where the system takes them at once, or none of them: then it throws. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#torn) await this.#cutBack();
    this.#torn = true;
    let written = 0;
    try {
      while (written < bytes.length) {
        written += (await this.#handle.write(bytes, written, bytes.length - written, null)).bytesWritten;
      }
    } catch (error) {
      // A failed cut is tried again before the next append; the first error says what is wrong.
      await this.#cutBack().catch(() => undefined);
      throw error;
    }
    this.#torn = false;
    this.#size += bytes.length;
  }

  /** Resolves when everything appended so far survives a power cut. */
  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  /** Whether the file still stands where it was opened. */
  async isInPlace(): Promise<boolean> {
    const [there, held] = await Promise.all([entryAt(this.#path), this.#handle.stat()]);
    return there?.ino === held.ino && there.dev === held.dev;
  }

  /** Hands everything written so far to `take`, piece by piece, also when the file's name is gone. */
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
    await this.#handle.truncate(this.#size);
    this.#torn = false;
  }
}

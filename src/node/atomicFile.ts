import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { errorCode } from '../core/errorCode.js';
import { messageOf } from '../core/text.js';
import { basename, dirname, join } from 'node:path';
import { CREATE, openPlainFile, syncFolder } from './plainFile.js';

/** The prefix of files that are being written; those left by a crash are swept later. */
export const TEMPORARY = '.tmp-';

/**
 * Writes a file atomically, for its owner only: temporary file, fsync, rename. It is durable once this resolves; its folder
 * must exist. With `isDurable: false` nothing is synced: after a power cut it may be gone, or have holes.
 */
export async function writeAtomically(
  path: string,
  content: Uint8Array,
  { isDurable = true }: { readonly isDurable?: boolean } = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `${TEMPORARY}${basename(path)}-${randomBytes(6).toString('hex')}`);
  const handle = await openPlainFile(temporary, CREATE);
  try {
    try {
      await handle.writeFile(content);
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // A failure here matters less than the one that is thrown; the sweep removes what is left.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  if (isDurable) await syncFolder(folder);
}

/** The text of a file, or undefined where there is none; rejects where it exists but cannot be read. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Renames a file that cannot be used but may be of interest; gives its new path. */
export async function setAside(path: string): Promise<string> {
  const aside = `${path}.${randomBytes(4).toString('hex')}.damaged`;
  await rename(path, aside);
  return aside;
}

/** A small file that is always written whole; saves during a write are combined into one further write. */
export class AtomicFile {
  readonly #path: string;
  readonly #onProblem: (problem: string) => void;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failed = false;

  /** `onProblem` is called for the first of several consecutive failures. */
  constructor(path: string, onProblem: (problem: string) => void) {
    this.#path = path;
    this.#onProblem = onProblem;
  }

  /**
   * Resolves when the text from `content` is on disk, or could not be written; never rejects. `content` is called when
   * the write starts; where it gives undefined, the file is removed.
   */
  save(content: () => string | undefined): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      this.#writing = this.#write(content());
      return this.#writing;
    });
    return this.#next;
  }

  async #write(text: string | undefined): Promise<void> {
    try {
      if (text === undefined) await rm(this.#path, { force: true });
      else {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        await writeAtomically(this.#path, Buffer.from(text));
      }
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#onProblem(messageOf(error));
      this.#failed = true;
    }
  }
}

import { mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import { isObject } from '../../core/message.js';
import { readIfThere, writeAtomically } from '../../node/atomicFile.js';

/** After how long what is known of a conversation that has ended is forgotten, in milliseconds. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60_000;

/** Up to which record each conversation was sent while it ran: a small file for each, so that windows do not disturb each other. */
export class LiveMarks {
  readonly #folder: string;

  /** `folder` is absolute, and made with the first mark. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** How many records of a conversation are done; undefined where nothing of it was sent. */
  async get(conversation: string): Promise<number | undefined> {
    return (await this.#read(conversation))?.done;
  }

  /** Notes how many are done, and whether it may gain more in the run that it is in. */
  async set(conversation: string, done: number, isOpen: boolean): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeAtomically(this.#pathOf(conversation), Buffer.from(JSON.stringify({ done, isOpen })));
  }

  /** The conversations that were open when somebody last looked; forgets those that ended long ago. */
  async open(now = Date.now()): Promise<readonly string[]> {
    const open: string[] = [];
    for (const name of await this.#names()) {
      const conversation = name.slice(0, -ENDING.length);
      if ((await this.#read(conversation))?.isOpen === true) open.push(conversation);
      else await this.#forgetOld(join(this.#folder, name), now);
    }
    return open;
  }

  async #read(
    conversation: string,
  ): Promise<{ readonly done: number; readonly isOpen: boolean } | undefined> {
    const text = await readIfThere(this.#pathOf(conversation));
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value) && typeof value.done === 'number')
        return { done: value.done, isOpen: value.isOpen === true };
    } catch {
      // A file that a power cut has damaged knows nothing; all is sent again, as the same spans.
    }
    return undefined;
  }

  async #forgetOld(path: string, now: number): Promise<void> {
    try {
      if (now - (await stat(path)).mtimeMs > FORGOTTEN_MS) await unlink(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(ENDING));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #pathOf(conversation: string): string {
    return join(this.#folder, `${encodeURIComponent(conversation)}${ENDING}`);
  }
}

const ENDING = '.json';

import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../core/text.js';
import { writeAtomically } from '../../node/atomicFile.js';
import { entryAt, makeFolder, readPlainFileSync } from '../../node/plainFile.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { isSameFile, type FileStamp } from '../../store/read/fileStamp.js';
import { encodeSearchFile, parseSearchFile, type SearchFile } from '../stored/columns/searchFile.js';

/** The ending of what is kept of a conversation. */
const ENDING = '.bin';
const DAY_MS = 86_400_000;

/** What is kept of a conversation of a file, and what else is known of it. */
export interface CachedConversation extends SearchFile {
  readonly file: NonNullable<SearchFile['file']>;
}

/**
 * What is known of files of other tools without their texts, in a folder of our own: nothing is written beside the files.
 * It is a cache, which is believed only where the file is as it was, and was read by the same program.
 */
export class CachedFiles {
  readonly #folder: string;
  readonly #program: string;
  readonly #log: Log;

  /** `program`: a mark that is another where files may be read in another way. */
  constructor(folder: string, program: string, log: Log) {
    this.#folder = folder;
    this.#program = program;
    this.#log = log;
  }

  /** What is kept of a conversation, as long as its file is as it is `now`. Waits for the disk: for threads that may. */
  load(location: SessionLocation, now: FileStamp): CachedConversation | undefined {
    try {
      const bytes = readPlainFileSync(this.#pathOf(location));
      const kept = bytes && parseSearchFile(bytes);
      if (kept?.file?.program !== this.#program || kept.stamps.length !== 1) return undefined;
      const isSame = kept.file.path === location.root && isSameFile(now, kept.stamps[0]);
      return isSame ? { ...kept, file: kept.file } : undefined;
    } catch (error) {
      this.#log.debug(`What is kept of ${location.root} cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Keeps what is known of a conversation. Where that fails, its file is read again. */
  async save(
    location: SessionLocation,
    kept: Omit<CachedConversation, 'file'>,
    session: string,
    hasNext: boolean,
  ): Promise<void> {
    const file = { path: location.root, session, hasNext, program: this.#program };
    try {
      await makeFolder(this.#folder);
      await writeAtomically(this.#pathOf(location), encodeSearchFile({ ...kept, file }), {
        isDurable: false,
      });
    } catch (error) {
      this.#log.debug(`What ${location.root} is searched by could not be kept: ${messageOf(error)}`);
    }
  }

  /**
   * Deletes what has been kept for longer than a day of all but these files, such as those that are gone or may not be
   * looked at any more; another window may just have kept something of others.
   */
  async keepOnly(paths: readonly string[]): Promise<void> {
    const known = new Set(paths.map(hashOf));
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (known.has(name.split('-')[0] ?? '')) continue;
      const path = join(this.#folder, name);
      const entry = await entryAt(path).catch(() => undefined);
      if (entry && Date.now() - entry.mtimeMs > DAY_MS)
        await rm(path, { force: true }).catch(() => undefined);
    }
  }

  #pathOf({ root, conversation }: SessionLocation): string {
    return join(this.#folder, `${hashOf(root)}-${Number(conversation)}${ENDING}`);
  }
}

/** Of a name that a path is made of nothing can be a way out of the folder. */
function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 32);
}

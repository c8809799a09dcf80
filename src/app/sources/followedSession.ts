import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { followFile, lookAt, readOn, type FollowedImport } from '../../import/following/followFile.js';
import { QUIET_MS } from '../../import/following/quietTime.js';
import { Spool } from '../../import/spool/spool.js';
import { SpooledRecords } from '../../import/spool/spooledRecords.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { sidecarFiles } from '../../import/importFile.js';
import { changeBetween, stampOf, type FileStamp, type StampChange } from '../../import/reading/fileStamp.js';

/** What came to a session. */
export interface Came {
  /** They stand behind all before. */
  readonly records: readonly ReadRecord[];
  /** Whether it cannot be read on: another file has taken its place, or a line changed what was said before. */
  readonly isOver: boolean;
}

/**
 * A session in a file of lines that was read once and is read on from there, so that a line costs the same however long the file
 * is. What was said last comes when something else is said, or nothing came for three seconds, because it may go on.
 */
export class FollowedSession {
  readonly #file: FollowedImport;
  readonly #spool = new Spool();
  readonly #records = new SpooledRecords(this.#spool);
  #changedAt = Date.now();

  private constructor(file: FollowedImport) {
    this.#file = file;
  }

  /**
   * Reads a file as far as it is written; undefined where it cannot be read on, and must be read as a whole each time. Rejects
   * with errors of the file system, and with the signal's reason.
   */
  static async open(path: string, signal: AbortSignal): Promise<FollowedSession | undefined> {
    for (const isLookedThrough of [false, true]) {
      const file = await followFile(path, () => signal.throwIfAborted(), isLookedThrough);
      if (!file) return undefined;
      const session = new FollowedSession(file);
      try {
        await session.#readAll(signal);
        if (!file.followed.isVoid) return session;
      } catch (error) {
        session.close();
        throw error;
      }
      session.close();
    }
    return undefined;
  }

  /** The tool's id of it. */
  get id(): string {
    return this.#file.followed.id;
  }

  /** What was said in it when it was opened. */
  get records(): Iterable<ReadRecord> & { readonly length: number } {
    return this.#records;
  }

  /** Looks whether something came to it. Rejects with errors of the file system. */
  async look(): Promise<Came> {
    const isQuiet = this.#file.followed.isWaiting && Date.now() - this.#changedAt >= QUIET_MS;
    const { change, gained } = await lookAt(this.#file, isQuiet);
    if (change !== 'none') this.#changedAt = Date.now();
    const isOver = change === 'written' || change === 'replaced' || this.#file.followed.isVoid;
    return { records: isOver ? [] : (gained?.records ?? []), isOver };
  }

  close(): void {
    this.#file.followed.close();
    this.#file.close();
    this.#spool.close();
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    for (const { records } of this.#file.conversations)
      for (const record of records) this.#records.add(record);
    while (this.#file.isMore && !this.#file.followed.isVoid) {
      for (const record of readOn(this.#file).records) this.#records.add(record);
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
  }
}

/** What became of a file of another tool since it was looked at before: the same as a panel notices. */
export class FileLooks {
  readonly #path: string;
  /** How it was when it was there last. */
  #before: FileStamp | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Looks at it, and at the files that are read with it. Throws errors of the file system. */
  async look(): Promise<StampChange> {
    const { files } = await sidecarFiles(this.#path);
    const beside = files.map(({ path }) => path);
    const now = stampOf(this.#path, beside, this.#before);
    const change = this.#before ? changeBetween(this.#before, now) : now ? 'written' : 'gone';
    // A file that comes back is compared with the one that went.
    this.#before = now ?? this.#before;
    return change;
  }
}

import { stat } from 'node:fs/promises';
import { fileOfPath } from '../../core/sessionInDatabase.js';
import type { Problem } from '../../core/agent.js';
import { openImport } from '../../import/importFile.js';
import { isSession } from '../../import/reading/importResult.js';
import type { OpenedConversation } from '../../import/readLarge.js';

/** Files that nobody reads stay open while they are no larger than this together, in bytes. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** What a session in a database counts for, of which nothing tells how long it is. */
const SESSION_BYTES = 1024 * 1024;

/** What a file of another tool holds. */
export interface CachedImport {
  /** The tool's name of its format. */
  readonly format: string;
  /** Those in which anything is said. */
  readonly conversations: readonly OpenedConversation[];
  /** How many places of it could not be understood. */
  readonly losses: number;
  /** What is to be told of it. */
  readonly problems: readonly Problem[];
  /** Is another when the file is another. */
  readonly stamp: string;
  /** To be called when it is read no more. */
  release(): void;
}

/** A file as it was at one time. */
interface CachedVersion {
  readonly stamp: string;
  readonly bytes: number;
  readonly opening: ReturnType<typeof openImport>;
  users: number;
}

/** Files of other tools that are read in place: what was read to answer a question is read again to show what was found. */
export class CachedImports {
  readonly #held = new Map<string, CachedVersion>();
  readonly #maxBytes: number;
  readonly #keepsLast: boolean;
  /** How many files were read, for tests: what is held is not read again. */
  reads = 0;

  /** `keepsLast`: whether the file that was read last stays open however large it is. */
  constructor({ maxBytes = MAX_HELD_BYTES, keepsLast = false } = {}) {
    this.#maxBytes = maxBytes;
    this.#keepsLast = keepsLast;
  }

  /** Reads a file, unless it is open as it is now. Rejects where it cannot be read, and where the signal is aborted. */
  async open(path: string, signal?: AbortSignal): Promise<CachedImport> {
    const file = fileOfPath(path);
    const { size, mtimeMs, ino } = await stat(file);
    const log = file === path ? undefined : await stat(`${file}-wal`).catch(() => undefined);
    const stamp = [size, mtimeMs, ino, log?.size, log?.mtimeMs].join();
    const before = this.#held.get(path);
    const isHeld = before?.stamp === stamp;
    if (!isHeld) this.reads++;
    const held = isHeld
      ? before
      : {
          stamp,
          bytes: file === path ? size : SESSION_BYTES,
          opening: openImport(path, { ...(signal && { signal }) }),
          users: 0,
        };
    this.#held.delete(path);
    if (before && !isHeld && before.users === 0) close(before);
    // Behind all others: what was used last is the last to go.
    this.#held.set(path, held);
    held.users++;
    try {
      const { format, conversations, problems } = await held.opening;
      signal?.throwIfAborted();
      return {
        format,
        conversations: conversations.filter(({ records }) => isSession(records)),
        losses: problems.filter(({ severity }) => severity === 'error').length,
        problems,
        stamp,
        release: () => this.#release(path, held),
      };
    } catch (error) {
      if (this.#held.get(path) === held) this.#held.delete(path);
      // Whoever began to read it may have given up; this one has not.
      if (isHeld && signal?.aborted !== true) return await this.open(path, signal);
      throw error;
    }
  }

  /** Closes what nobody reads. */
  close(): void {
    for (const [path, held] of this.#held) {
      this.#held.delete(path);
      if (held.users === 0) close(held);
    }
  }

  #release(path: string, held: CachedVersion): void {
    held.users--;
    if (held.users === 0 && this.#held.get(path) !== held) close(held);
    let bytes = 0;
    let last: CachedVersion | undefined;
    for (const each of this.#held.values()) {
      bytes += each.bytes;
      last = each;
    }
    for (const [name, each] of this.#held) {
      if (bytes <= this.#maxBytes || (this.#keepsLast && each === last)) return;
      if (each.users > 0) continue;
      this.#held.delete(name);
      bytes -= each.bytes;
      close(each);
    }
  }
}

function close({ opening }: CachedVersion): void {
  // What could not be opened needs no closing.
  opening.then((opened) => opened.close()).catch(() => undefined);
}

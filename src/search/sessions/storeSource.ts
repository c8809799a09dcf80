import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../core/ports/log.js';
import type { Transcript } from '../../core/ports/transcript.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { idOfFolder, locate } from '../../store/catalog/conversationFolders.js';
import { isEntryName } from '../../store/files/safeFileName.js';
import { names, pathsOf } from '../../store/files/storePaths.js';
import type { KeptSessions } from '../../store/notes/keptSessions.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { readSource } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import { errorCode } from '../../core/errorCode.js';
import type { ColumnCache } from '../columns/columnCache.js';
import type { SessionSource } from './session.js';
import { JournalFinder, type FindJournals } from './journalFinder.js';
import { isSettled, StoredSession, type StoredSessionOptions } from './storedSession.js';

/**
 * For how long a list of folders is believed by the time of the folder that they lie in, in milliseconds: on FAT under Windows, and
 * on some drives of a network, that stays as it was when something is made there or goes.
 */
const TRUSTED_MS = 10_000;

/** What the conversations of a store are asked with. */
export interface StoreSourceOptions {
  readonly log: Log;
  readonly cache: ColumnCache;
  /** See `StoredSessionOptions`. */
  readonly isAskedOnce?: boolean;
  /** See `StoredSessionOptions`. */
  readonly ahead?: { bytes: number } | undefined;
  /** See `StoredSessionOptions`. */
  readonly keptSessions?: KeptSessions | undefined;
  /** See `FindJournals`; left out, journals are looked through one by one. */
  readonly find?: FindJournals | undefined;
}

/** The conversations of the store in a folder. */
export class StoreSource implements SessionSource {
  readonly #root: string;
  readonly #log: Log;
  readonly #options: StoredSessionOptions;
  #known = new Map<string, StoredSession>();
  /** All sessions by their order, and how the folder that they lie in was when they were listed; `at`: when that was. */
  #listed:
    | { readonly sessions: readonly StoredSession[]; readonly mtimeMs: number; readonly at: number }
    | undefined;

  /** `readOnly`: not even caches are written. */
  constructor(
    root: string,
    readOnly: boolean,
    { log, cache, find, keptSessions, ahead, isAskedOnce = false }: StoreSourceOptions,
  ) {
    this.#root = root;
    this.#log = log;
    const finder = find && new JournalFinder(find, root);
    this.#options = { readOnly, log, cache, isAskedOnce, keptSessions, finder, ...(ahead && { ahead }) };
  }

  /** All of them, in their order. The folder that they lie in is listed again once its time says that an entry has come or gone. */
  async sessions(): Promise<readonly StoredSession[]> {
    const folder = join(this.#root, names.conversations);
    const mtimeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    const at = performance.now();
    const listed = this.#listed;
    if (listed && listed.mtimeMs === mtimeMs && at - listed.at < TRUSTED_MS) return listed.sessions;
    const before = this.#known;
    const now = new Map<string, StoredSession>();
    for (const name of foldersIn(folder).sort())
      now.set(name, before.get(name) ?? (await this.#session(name)));
    for (const [name, session] of before) if (!now.has(name)) session.forget();
    this.#known = now;
    const sessions = [...now.values()];
    this.#listed = mtimeMs !== undefined && isSettled(mtimeMs) ? { sessions, mtimeMs, at } : undefined;
    return sessions;
  }

  async transcript({ conversation }: SessionLocation): Promise<Transcript> {
    const paths = await locate(this.#root, conversation);
    const shared = new SharedSource(await readSource(paths, this.#log, true), this.#log);
    return new StoredTranscript(paths, shared, () => shared.dispose());
  }

  async #session(name: string): Promise<StoredSession> {
    const paths = pathsOf(this.#root, await idOfFolder(this.#root, name), name);
    return new StoredSession(paths, this.#options);
  }
}

/** The names of the folders of all conversations in a folder. Throws errors of the file system. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isEntryName(entry.name) ? [entry.name] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

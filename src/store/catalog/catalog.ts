import { dirname, join } from 'node:path';
import { watch, type FSWatcher } from 'node:fs';
import { sessionKey } from '../../core/sessionKey.js';
import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import type { Event } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry, ConversationSource } from '../../core/ports/transcript.js';
import { messageOf } from '../../core/text.js';
import { LazyEmitter, type EmitterSource } from '../../core/lazyEmitter.js';
import { loadRows, saveDelay, saveRows, type CatalogRow, type CatalogRows } from './catalogCache.js';
import { listConversations } from './conversationFolders.js';
import { entryAt } from '../../node/plainFile.js';
import { isBeingWritten } from '../read/journalLines.js';
import { entryOf } from './conversationSummary.js';
import type { RowsOnThread } from './readRow.js';
import {
  isIncomplete,
  mayBeWritten,
  readRows,
  type FolderRow,
  type ReadRowsOnThread,
  type WantedRow,
} from './readRows.js';
import { safeFileName } from '../files/safeFileName.js';
import { type ConversationPaths, names } from '../files/storePaths.js';

/** How often the conversations that may change are polled, in milliseconds. */
const HOT_MS = 2000;
/** All conversations are polled once in this many times. */
const LOOKS_PER_FULL_LOOK = 30;

/** The two ways to refresh a catalog; neither rejects. */
interface CatalogLooks {
  lookAtAll(): Promise<void>;
  lookAtHot(): Promise<void>;
}

/** Refreshes the catalog while it has listeners. */
class CatalogWatch implements EmitterSource {
  readonly #root: string;
  readonly #looks: CatalogLooks;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #watcher: FSWatcher | undefined;
  #busy = false;

  constructor(root: string, looks: CatalogLooks) {
    this.#root = root;
    this.#looks = looks;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#watchFolder();
      void this.#look(++this.#count % LOOKS_PER_FULL_LOOK === 0);
    }, HOT_MS);
    this.#timer.unref();
    this.#watchFolder();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Notices new and deleted conversations at once; changes within them are noticed only by polling. */
  #watchFolder(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(
        join(this.#root, names.conversations),
        { persistent: false },
        () => void this.#look(false),
      );
      this.#watcher.on('error', () => {
        this.#watcher?.close();
        this.#watcher = undefined;
      });
    } catch {
      // The folder does not exist yet, or cannot be watched: the timer polls it and tries again.
    }
  }

  async #look(all: boolean): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    await (all ? this.#looks.lookAtAll() : this.#looks.lookAtHot());
    this.#busy = false;
  }
}

/** The conversations of a store. A cache over the journals, which take precedence. */
export interface Catalog {
  /** All entries, newest first; empty before the first `refresh`. */
  entries(): readonly CatalogEntry[];
  /** The entry of one conversation, without sorting all others. */
  find(conversation: string): CatalogEntry | undefined;
  /** Fires after the entries changed; changes by other windows are noticed only while there are listeners. */
  readonly onDidChange: Event<void>;
  /** Brings the entries up to date with the files. Never rejects: what cannot be read is listed as damaged. */
  refresh(): Promise<void>;
}

/** A conversation that this process writes, so that its files need not be read. */
export interface LiveConversation {
  readonly name: string;
  entry(): CatalogEntry;
}

/** What a catalog needs. */
export interface CatalogOptions {
  readonly root: string;
  readonly readOnly: boolean;
  readonly log: Log;
  /** Whether this thread may wait for the disk, because nobody waits for it meanwhile. */
  readonly mayBlock?: boolean | undefined;
  /** Reads rows on another thread: one whose journal is long, and many. */
  readonly onThread?: (RowsOnThread & { readonly rows: ReadRowsOnThread }) | undefined;
  live(): Iterable<LiveConversation>;
  /** Called with the error when the conversations can no longer be listed, and with nothing when they can again. */
  onFailure(error: unknown): void;
}

/** The shortest interval between two change events for live conversations, in milliseconds. */
const REPORT_MS = 100;
/** How many conversations are looked at together: what is found of them is listed before the next ones are. */
const BATCH = 100;
/** How many batches are on their way at once, so that another thread does not wait for this one. */
const BATCHES_AT_ONCE = 2;
/** How many changed rows of one look are kept at once: reading so many again would take a person's time. */
const MANY_CHANGED = 100;
/** How many of the newest conversations are polled, in addition to those that have not ended. */
const HOT = 20;

/** The folder that a store is in is gone, as when a workspace folder is deleted while it is open. */
class FolderGoneError extends Error {
  readonly code = 'EGONE';
  constructor(path: string) {
    super(`${path} does not exist any more`);
  }
}

/** The catalog over the files of a store and the conversations that this process writes. */
export class StoreCatalog implements Catalog {
  readonly #options: CatalogOptions;
  readonly #changed: LazyEmitter<void>;
  #rows: CatalogRows | undefined;
  #loading: Promise<CatalogRows> | undefined;
  #entries = new Map<string, CatalogEntry>();
  #sorted: readonly CatalogEntry[] | undefined;
  #refreshing: Promise<void> | undefined;
  /** Shared by the imports that wait for it. */
  #firstLook: Promise<void> | undefined;
  /** Whether all conversations were looked at once. */
  #hasLooked = false;
  #failure: string | undefined;
  /** Whether the folder that the store is in was there at the last look. */
  #hasFolder = false;
  #isClosed = false;
  /** What is being read, by the names of conversations: what else becomes known of one meanwhile takes it out. */
  readonly #beingRead = new Map<string, WantedRow>();
  /** All reading of rows that has not ended. */
  readonly #reading = new Set<Promise<number>>();
  #telling: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** The names of imported conversations by the session that they are of; made when it is first asked for. */
  #sessions: Map<string, Set<string>> | undefined;
  /** How many conversations' files were looked at, for tests: what one import costs must not depend on how many there are. */
  looks = 0;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const watch = new CatalogWatch(options.root, {
      lookAtAll: () => this.refresh(),
      lookAtHot: () => this.#look(this.#hotNow()),
    });
    this.#changed = new LazyEmitter(
      (error) => options.log.error('A listener of the catalog failed', error),
      watch,
    );
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  entries(): readonly CatalogEntry[] {
    this.#sorted ??= this.#sort();
    return this.#sorted;
  }

  find(conversation: string): CatalogEntry | undefined {
    for (const live of this.#options.live()) {
      const entry = live.entry();
      if (entry.conversation === conversation) return entry;
    }
    const usual = this.#entries.get(safeFileName(conversation));
    if (usual?.conversation === conversation) return usual;
    return this.#search(conversation);
  }

  refresh(): Promise<void> {
    return this.#look(() => true);
  }

  /** To be called when a live conversation has changed, started or ended. */
  touch(): void {
    this.#sorted = undefined;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#changed.fire();
    }, REPORT_MS).unref();
  }

  /** The latest known row of a conversation. */
  row(name: string): CatalogRow | undefined {
    return this.#rows?.get(name);
  }

  /** Takes the final row of a conversation that this process has finished writing. */
  async settle(paths: ConversationPaths, row: CatalogRow): Promise<void> {
    const rows = await this.#load();
    this.#setRow(rows, paths.name, row);
    await this.#setEntry(paths, row);
    this.#saveSoon();
  }

  /** Brings the entry of one conversation up to date with its files. */
  async lookAt(paths: ConversationPaths): Promise<void> {
    await this.#readRows([paths], await this.#load());
  }

  /** The conversations that were imported from one session of a tool. Reads the catalog once, if nobody has. */
  async importsOf({ tool, session }: Pick<ConversationSource, 'tool' | 'session'>): Promise<CatalogRow[]> {
    if (!this.#hasLooked)
      await (this.#firstLook ??= this.refresh().finally(() => (this.#firstLook = undefined)));
    const rows = this.#rows ?? new Map<string, CatalogRow>();
    this.#sessions ??= sessionsOf(rows);
    const found = [...(this.#sessions.get(sessionKey({ tool, session })) ?? [])];
    return found.flatMap((name) => rows.get(name) ?? []);
  }

  /** Looks at the conversations that others have made since the last look, and at no other. */
  async lookForNew(): Promise<void> {
    const rows = await this.#load();
    const all = await listConversations(this.#options.root);
    const found = all.filter(({ name }) => !rows.has(name));
    await this.#readRows(found, rows);
    // What somebody else here has begun to read meanwhile is known once that is read.
    while (this.#reading.size > 0 && found.some(({ name }) => this.#beingRead.has(name)))
      await Promise.allSettled(this.#reading);
  }

  /** Removes a deleted conversation. */
  forget(name: string): void {
    if (this.#rows) this.#setRow(this.#rows, name, undefined);
    if (this.#entries.delete(name)) this.touch();
  }

  /** Ends the watching, and what is being read; writes what waits for the cache. */
  async close(): Promise<void> {
    clearTimeout(this.#telling);
    if (this.#saveTimer) this.#saveNow();
    this.#isClosed = true;
    await this.#saving;
    this.#changed.dispose();
  }

  /** The rows; those that are cached are loaded once, because a second copy would lack what was added to the first. */
  async #load(): Promise<CatalogRows> {
    if (this.#rows) return this.#rows;
    this.#loading ??= loadRows(this.#options.root).finally(() => (this.#loading = undefined));
    const rows = await this.#loading;
    return (this.#rows ??= rows);
  }

  async #look(isWanted: (name: string) => boolean): Promise<void> {
    // A refresh in progress may have missed the latest changes, so another one follows it.
    const previous = this.#refreshing;
    const look = (previous ?? Promise.resolve()).then(() => this.#lookOnce(isWanted));
    this.#refreshing = look;
    await look;
    if (this.#refreshing === look) this.#refreshing = undefined;
  }

  async #lookOnce(isWanted: (name: string) => boolean): Promise<void> {
    const { root, log } = this.#options;
    try {
      const rows = await this.#load();
      await this.#requireFolder();
      // What is added while the folders are listed may be missing in the list.
      const before = [...rows.keys(), ...this.#entries.keys()];
      const found = await listConversations(root);
      const present = new Set(found.map(({ name }) => name));
      for (const name of before) if (!present.has(name)) this.forget(name);
      const wanted = found.filter(({ name }) => isWanted(name) || !this.#entries.has(name));
      const changed = await this.#readRows(wanted, rows);
      this.#hasLooked = true;
      if (changed >= MANY_CHANGED) this.#saveNow();
      this.#failed(undefined);
    } catch (error) {
      log.warn('The list of conversations could not be read', error);
      this.#failed(error);
    }
  }

  /** Throws where the folder that the store is in was there before: the conversations are gone with it, not deleted. */
  async #requireFolder(): Promise<void> {
    const folder = dirname(this.#options.root);
    const isThere = (await entryAt(folder)) !== undefined;
    if (!isThere && this.#hasFolder) throw new FolderGoneError(folder);
    this.#hasFolder = isThere;
  }

  #failed(error: unknown): void {
    const failure = error === undefined ? undefined : messageOf(error);
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#options.onFailure(error);
    this.touch();
  }

  /** Reads the rows of conversations; how many of them have changed. */
  async #readRows(wanted: readonly ConversationPaths[], rows: CatalogRows): Promise<number> {
    const work = this.#readRowsNow(wanted, rows).finally(() => this.#reading.delete(work));
    this.#reading.add(work);
    return await work;
  }

  async #readRowsNow(wanted: readonly ConversationPaths[], rows: CatalogRows): Promise<number> {
    const live = new Set([...this.#options.live()].map(({ name }) => name));
    const notLive = wanted.filter(({ name }) => !live.has(name));
    let changed = 0;
    await forEachAtOnce(batchesOf(notLive), BATCHES_AT_ONCE, async (batch) => {
      if (this.#isClosed) return;
      const asked = batch.map((paths) => ({ paths, kept: rows.get(paths.name) }));
      for (const each of asked) this.#beingRead.set(each.paths.name, each);
      const found = await this.#find(asked, notLive.length > BATCH);
      for (const [at, each] of asked.entries()) {
        const { paths } = each;
        // Whoever has ended or deleted a conversation meanwhile knows it better.
        if (this.#beingRead.get(paths.name) !== each) continue;
        this.#beingRead.delete(paths.name);
        const row = found[at];
        if (row) changed += this.#take(paths, row, rows);
      }
      // What was read so far is kept where the rest takes long.
      if (changed > 0) this.#saveSoon();
    });
    return changed;
  }

  /** What the files of some conversations say, found on the other thread where there are many. */
  async #find(asked: readonly WantedRow[], areMany: boolean): Promise<readonly FolderRow[]> {
    this.looks += asked.length;
    const { onThread, log, mayBlock = false } = this.#options;
    if (onThread && areMany)
      try {
        return await onThread.rows(asked);
      } catch (error) {
        log.warn(`${asked.length} conversations are looked at on the thread that lists them`, error);
      }
    return await readRows(asked, { log, mayBlock, onThread });
  }

  /** Takes what was found; 1 where the row has changed, else 0. */
  #take(paths: ConversationPaths, { row: found, isWritten }: FolderRow, rows: CatalogRows): 0 | 1 {
    const before = rows.get(paths.name);
    const row = found === 'kept' ? before : found;
    if (row !== before) this.#setRow(rows, paths.name, row);
    this.#putEntry(paths, row && !isEmpty(row) ? entryOfRow(paths, row, isWritten) : undefined);
    return row === before ? 0 : 1;
  }

  async #setEntry(paths: ConversationPaths, row: CatalogRow | undefined): Promise<void> {
    if (!row || isEmpty(row)) this.#putEntry(paths, undefined);
    else this.#putEntry(paths, entryOfRow(paths, row, mayBeWritten(row) && (await isBeingWritten(paths))));
  }

  #putEntry(paths: ConversationPaths, entry: CatalogEntry | undefined): void {
    const before = this.#entries.get(paths.name);
    if (entry && before ? JSON.stringify(entry) === JSON.stringify(before) : entry === before) return;
    if (entry) this.#entries.set(paths.name, entry);
    else this.#entries.delete(paths.name);
    this.touch();
  }

  /** A conversation whose folder has another name than ours would have. */
  #search(conversation: string): CatalogEntry | undefined {
    for (const entry of this.#entries.values()) if (entry.conversation === conversation) return entry;
    return undefined;
  }

  #setRow(rows: CatalogRows, name: string, row: CatalogRow | undefined): void {
    this.#beingRead.delete(name);
    const before = rows.get(name);
    if (before?.source) this.#sessions?.get(sessionKey(before.source))?.delete(name);
    if (row) rows.set(name, row);
    else rows.delete(name);
    if (row?.source && this.#sessions) addSession(this.#sessions, name, row.source);
  }

  #saveSoon(): void {
    this.#saveTimer ??= setTimeout(() => this.#saveNow(), saveDelay(this.#rows?.size ?? 0)).unref();
  }

  #saveNow(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const rows = this.#rows;
    // Whoever opens the store next may have kept more since it was closed.
    if (rows && !this.#isClosed) this.#saving = this.#saving.then(() => this.#save(rows));
  }

  async #save(rows: CatalogRows): Promise<void> {
    if (this.#options.readOnly) return;
    // Only a cache: without it, the next start takes longer.
    await saveRows(this.#options.root, rows).catch((error: unknown) =>
      this.#options.log.debug(`The catalog could not be kept: ${String(error)}`),
    );
  }

  /** A test for the conversations that are polled. */
  #hotNow(): (name: string) => boolean {
    const newest = new Set(this.entries().slice(0, HOT));
    return (name) => {
      const entry = this.#entries.get(name);
      return !entry || entry.state === 'running' || newest.has(entry);
    };
  }

  #sort(): readonly CatalogEntry[] {
    const entries = new Map(this.#entries);
    for (const live of this.#options.live()) entries.set(live.name, live.entry());
    return [...entries.values()].sort(
      (a, b) => b.startedAt - a.startedAt || (a.conversation < b.conversation ? 1 : -1),
    );
  }
}

/** Whether there is nothing to be listed. */
function isEmpty({ summary, damaged }: CatalogRow): boolean {
  return summary.records === 0 && damaged === 0;
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
}

function entryOfRow(
  { id }: ConversationPaths,
  { summary, damaged, source, stamps }: CatalogRow,
  isWritten: boolean,
): CatalogEntry {
  const bytes = stamps.reduce((sum, { size }) => sum + size, 0);
  const cutOff = isWritten ? 0 : stamps.filter(isIncomplete).length;
  const live = summary.outcome === 'open' && isWritten;
  return entryOf(summary, { conversation: id, damaged: damaged + cutOff, bytes, live, source });
}

function addSession(sessions: Map<string, Set<string>>, name: string, source: ConversationSource): void {
  const key = sessionKey(source);
  const names = sessions.get(key) ?? new Set();
  sessions.set(key, names.add(name));
}

function sessionsOf(rows: CatalogRows): Map<string, Set<string>> {
  const sessions = new Map<string, Set<string>>();
  for (const [name, { source }] of rows) if (source) addSession(sessions, name, source);
  return sessions;
}

import { TO_STORE } from '../../search/reader/importCalls.js';
import { mkdir } from 'node:fs/promises';
import { join, relative, isAbsolute } from 'node:path';
import { READER } from '../../import/toolWords.js';
import { RECORDINGS } from '../../import/toolHomes.js';
import type { SessionFile } from '../../capture/discovery/sessionWalk.js';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import { AtomicFile, readIfThere } from '../../node/atomicFile.js';
import { ProcessLock } from '../../node/processLock.js';
import type { Log } from '../../core/ports/log.js';
import type { ImportThread } from '../../search/reader/importThread.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { Settings } from '../ports/settings.js';
import type { Workspace, WorkspaceFolder } from '../ports/workspace.js';
import { importIntoStore, importReportOf } from '../stores/importIntoStore.js';
import type { ListedTool, SessionDiscovery } from './sessionDiscovery.js';

/**
 * How long a session must have been left alone before it is copied, in milliseconds: one that goes on may change what it
 * said, which would make versions of it.
 */
const QUIET_MS = 10 * 60_000;

/** What keeping copies needs. */
export interface SessionCopiesOptions {
  readonly discovery: SessionDiscovery;
  /** Gives the store that the conversations of a folder go into. */
  readonly storeFor: (folder: WorkspaceFolder | undefined) => Promise<{ readonly store: TranscriptStore }>;
  readonly workspace: Workspace;
  readonly settings: Settings;
  /** The application's own folder for all that this person has on this machine, absolute. */
  readonly storage: string;
  /** Makes the thread that reads the sessions. */
  readonly newThread: () => Promise<ImportThread>;
  readonly log: Log;
  readonly now?: () => number;
}

/** What one round of copying did. */
export interface Copied {
  /** How many sessions were read, and how many of those gave something new. */
  readonly read: number;
  readonly stored: number;
  /** How many could not be read; the log says why. */
  readonly failed: number;
}

/** What is remembered of a session that was copied. */
interface Copy {
  readonly bytes: number;
  readonly changed: number;
  /** See `READER`; absent: 1. */
  readonly reader?: number;
  /** The conversations that were made of it. */
  readonly conversations: readonly string[];
}

/**
 * Copies sessions of other tools into the store before their tools delete them: those held in the folders of this window,
 * and where all transcripts lie in one place, all. What was copied is remembered, so that a session is read again only
 * when it was written to; then its copy gains what is new and keeps its notes, and is never there twice.
 */
export class SessionCopies {
  readonly #options: SessionCopiesOptions;
  readonly #now: () => number;

  constructor(options: SessionCopiesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Copies what is new, unless another window is doing so. Rejects with the signal's reason. */
  async copy(signal: AbortSignal): Promise<Copied> {
    const { storage, log, workspace } = this.#options;
    const nothing = { read: 0, stored: 0, failed: 0 };
    if (!workspace.isTrusted) return nothing;
    await mkdir(storage, { recursive: true, mode: 0o700 });
    const acquired = await ProcessLock.acquire(join(storage, 'sessionCopies.lock'));
    if (!('lock' in acquired)) return nothing;
    const lost = new AbortController();
    acquired.lock.keepBeating(
      () => lost.abort(new Error(t`Another window copies sessions now.`)),
      (error) => log.warn(`The copying of sessions cannot be marked as under way: ${messageOf(error)}`),
    );
    try {
      return await this.#copyAll(AbortSignal.any([signal, lost.signal]));
    } finally {
      await acquired.lock.release();
    }
  }

  async #copyAll(signal: AbortSignal): Promise<Copied> {
    const { discovery, storage, log, newThread } = this.#options;
    const memory = await CopyMemory.open(join(storage, 'sessionCopies.json'), log);
    await discovery.look();
    const counts = { read: 0, stored: 0, failed: 0 };
    let thread: ImportThread | undefined;
    try {
      for (const tool of await discovery.tools()) {
        // Nobody else deletes what was recorded here.
        if (tool.id === RECORDINGS) continue;
        for (const { file, folder } of await this.#dueOf(tool, memory)) {
          signal.throwIfAborted();
          counts.read++;
          try {
            thread ??= await newThread();
            if (await this.#copyOne(file, folder, { thread, memory, signal })) counts.stored++;
          } catch (error) {
            signal.throwIfAborted();
            counts.failed++;
            log.warn(`${file.path} was not copied: ${messageOf(error)}`);
          }
        }
      }
    } finally {
      thread?.dispose();
      await memory.save();
    }
    if (counts.stored > 0) log.info(`Copies of ${counts.stored} sessions of other tools were stored.`);
    return counts;
  }

  /** The sessions of a tool that are to be copied now, each with the folder whose store takes it. */
  async #dueOf({ id, sessions }: ListedTool, memory: CopyMemory) {
    const { discovery, settings, workspace } = this.#options;
    const before = this.#now() - QUIET_MS;
    const due = [...sessions.values()].filter((file) => file.changed < before && !memory.has(file));
    const isOnePlace = settings.get('storePath') !== '';
    if (isOnePlace) return due.map((file) => ({ file, folder: undefined }));
    const folders = await discovery.workspaces(
      id,
      due.map(({ path }) => path),
    );
    return due.flatMap((file) => {
      const held = folders.get(file.path);
      const folder = workspace.folders.find(({ uri }) => held !== undefined && isIn(held, uri.fsPath));
      return folder ? [{ file, folder }] : [];
    });
  }

  /** Copies a session; tells whether anything of it was new. */
  async #copyOne(
    file: SessionFile,
    folder: WorkspaceFolder | undefined,
    { thread, memory, signal }: Pick<Reading, 'thread' | 'memory' | 'signal'>,
  ): Promise<boolean> {
    const { storeFor, workspace } = this.#options;
    const { store } = await storeFor(folder ?? workspace.workingFolder());
    const read = await thread.read(file.path, signal, () => undefined, TO_STORE);
    try {
      const made: string[] = [];
      let isNew = false;
      const kept = read.conversations.filter(({ hasMessage }) => hasMessage);
      const report = importReportOf(read, kept);
      for (const conversation of kept) {
        const { kind, conversation: id } = await importIntoStore(store, conversation, report, signal);
        made.push(id);
        isNew ||= kind !== 'unchanged';
      }
      // Of the session that it is a part of, its own file tells.
      const isWhole = read.path === file.path;
      if (isWhole) await this.#forgetVersions(store, memory.conversationsOf(file.path), made);
      memory.note(file, made);
      return isNew;
    } finally {
      read.close();
    }
  }

  /**
   * Deletes copies that others have taken the place of, as where a session changed what it had said: the store has given
   * their notes to the new ones. One that a person went on with stays.
   */
  async #forgetVersions(store: TranscriptStore, before: readonly string[], now: readonly string[]) {
    if (now.length === 0) return;
    for (const id of before) {
      const entry = now.includes(id) ? undefined : store.catalog.find(id);
      if (entry?.recordedHere === false) await store.deleteConversation(id, 'replaced');
    }
  }
}

interface Reading {
  readonly thread: ImportThread;
  readonly memory: CopyMemory;
  readonly signal: AbortSignal;
}

/** What was copied, in a file. Where it is lost, sessions are read again, and found to be there. */
class CopyMemory {
  readonly #copies: Map<string, Copy>;
  readonly #file: AtomicFile;

  private constructor(path: string, copies: Map<string, Copy>, log: Log) {
    this.#copies = copies;
    this.#file = new AtomicFile(path, (problem) =>
      log.warn(`Which sessions were copied cannot be remembered: ${problem}`),
    );
  }

  static async open(path: string, log: Log): Promise<CopyMemory> {
    const copies = new Map<string, Copy>();
    try {
      const value = JSON.parse((await readIfThere(path)) ?? '{}') as unknown;
      for (const [name, copy] of Object.entries(isObject(value) ? value : {}))
        if (isCopy(copy)) copies.set(name, copy);
    } catch (error) {
      log.warn(`${path} cannot be read; sessions are compared with their copies: ${messageOf(error)}`);
    }
    return new CopyMemory(path, copies, log);
  }

  has({ path, bytes, changed }: SessionFile): boolean {
    const copy = this.#copies.get(path);
    return copy?.bytes === bytes && copy.changed === changed && copy.reader === READER;
  }

  conversationsOf(path: string): readonly string[] {
    return this.#copies.get(path)?.conversations ?? [];
  }

  note({ path, bytes, changed }: SessionFile, conversations: readonly string[]): void {
    this.#copies.set(path, { bytes, changed, reader: READER, conversations });
  }

  save(): Promise<void> {
    return this.#file.save(() => `${JSON.stringify(Object.fromEntries(this.#copies))}\n`);
  }
}

function isCopy(value: unknown): value is Copy {
  if (!isObject(value) || typeof value.bytes !== 'number' || typeof value.changed !== 'number') return false;
  const { conversations } = value;
  return Array.isArray(conversations) && conversations.every((each) => typeof each === 'string');
}

/** Whether a folder is another one, or in it. */
function isIn(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return !way.startsWith('..') && !isAbsolute(way);
}

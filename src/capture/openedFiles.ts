import { randomUUID } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Disposable } from '../core/event.js';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';
import type { ReadWay } from '../reader/importCalls.js';
import { ImportThread } from '../reader/importThread.js';
import type { TranscriptStore } from '../store/transcriptStore.js';
import type { TranscriptStoreOptions } from '../store/write/storeOptions.js';
import { removePassingStore } from '../store/write/removeOwnFolder.js';
import { FolderWatches } from './folderWatches.js';
import { GrowingConversations } from './growingConversations.js';
import { LookRounds } from './lookRounds.js';
import { OpenedFile, type FileReport } from './openedFile.js';

/** What opening files needs. */
export interface OpenedFilesOptions {
  /** A folder of the application's own, absolute and called `PASSING_STORES`, for what was read while files are open. */
  readonly folder: string;
  readonly openStore: (
    options: Pick<TranscriptStoreOptions, 'root' | 'log' | 'onProblem' | 'limits'>,
  ) => Promise<TranscriptStore>;
  /** Called once, with the store in which the conversations of open files are found. */
  readonly onStore: (store: { readonly store: TranscriptStore; readonly root: string }) => void;
  readonly log: Log;
  /** The bundle of the thread that reads files; by default where the build puts it. */
  readonly script?: URL;
}

/** A file that somebody has open, until it is disposed. */
export interface OpenFile extends Disposable {
  readonly file: OpenedFile;
  readonly report: FileReport;
}

/**
 * The files of other tools that are shown where they are. What is read of them lies in a store of this window's own, which
 * nobody lists, so that everything that reads a conversation reads these too; it goes when the last view of a file closes,
 * and what a window that crashed has left goes with the next file that is opened.
 */
export class OpenedFiles implements Disposable {
  readonly #options: OpenedFilesOptions;
  readonly #name = `${NAME}-${process.pid}-${randomUUID().slice(-12)}`;
  readonly #open = new Map<
    string,
    { readonly file: OpenedFile; readonly opening: Promise<FileReport>; users: number }
  >();
  readonly #growing = new GrowingConversations();
  readonly #rounds = new LookRounds();
  readonly #watches = new FolderWatches();
  #store: Promise<TranscriptStore> | undefined;
  /** The thread that reads small files, while any file is open. */
  #thread: ImportThread | undefined;

  constructor(options: OpenedFilesOptions) {
    this.#options = options;
  }

  /** The file that a conversation is read from; undefined where it is from none that is open. */
  fileOf(conversation: string): OpenedFile | undefined {
    for (const { file } of this.#open.values())
      if (file.report?.conversations.some((each) => each.conversation === conversation)) return file;
    return undefined;
  }

  /** The file at an absolute path; undefined where it is not open. */
  fileAt(path: string): OpenedFile | undefined {
    return this.#open.get(path)?.file;
  }

  /** Opens a file by its absolute path, or shares the one that is open. Rejects with errors for a person. */
  async open(path: string, onProgress: (done: number) => void): Promise<OpenFile> {
    const known = this.#open.get(path) ?? this.#begin(path, onProgress);
    known.users++;
    let isOpen = true;
    const dispose = () => {
      if (isOpen && --known.users === 0) this.#close(path, known.file);
      isOpen = false;
    };
    try {
      return { file: known.file, report: await known.opening, dispose };
    } catch (error) {
      dispose();
      throw error;
    }
  }

  /** Gives up a conversation of which another stands in the place. */
  async forget(conversation: string): Promise<void> {
    try {
      await this.#growing.end(conversation);
      await (await this.#store)?.deleteConversation(conversation);
    } catch (error) {
      // It goes with the store.
      this.#options.log.debug(`${conversation} stays until the window closes: ${messageOf(error)}`);
    }
  }

  /** Stops following all files, and removes what was read of them. */
  async close(): Promise<void> {
    for (const { file } of this.#open.values()) file.dispose();
    this.#open.clear();
    this.#rounds.dispose();
    this.#endThread();
    const store = await this.#store;
    this.#store = undefined;
    if (!store) return;
    await store.close();
    await removePassingStore(this.#options.folder, this.#name);
  }

  dispose(): void {
    void this.close().catch((error: unknown) => {
      this.#options.log.warn(`What was read of open files is removed later: ${messageOf(error)}`);
    });
  }

  #begin(path: string, onProgress: (done: number) => void) {
    const { log } = this.#options;
    const file = new OpenedFile(path, {
      read: (each, signal, onRead, way) => this.#read(each, signal, onRead, way),
      stamp: (each, beside, before) => this.#shared().stamp(each, beside, before),
      keep: async ({ id, title, project, records }, from, signal) => {
        const source = { ...from, session: id, title, ...(project !== undefined && { project }) };
        const store = await this.#opened();
        return (await store.importRecords(source, records, signal)).conversation;
      },
      add: async (conversation, records) => this.#growing.add(await this.#opened(), conversation, records),
      fill: async (conversation, followed, signal, onFilled) =>
        followed.fill(await (await this.#opened()).target(conversation), signal, onFilled),
      rounds: this.#rounds,
      watches: this.#watches,
      now: () => Date.now(),
      log,
    });
    const known = { file, opening: file.open(onProgress), users: 0 };
    this.#open.set(path, known);
    return known;
  }

  /** Reads a file: a small one on a thread that all of them share, so that nobody waits for one to begin. */
  async #read(path: string, signal: AbortSignal, onProgress: (done: number) => void, way: ReadWay) {
    const size = await stat(path).then(
      (about) => about.size,
      () => 0,
    );
    const isShared = size <= MAX_SHARED_BYTES;
    const thread = isShared ? this.#shared() : this.#newThread(false);
    const end = () => {
      if (!isShared) thread.dispose();
    };
    try {
      const read = await thread.read(path, signal, onProgress, { isGrowing: true, way });
      return {
        ...read,
        close: () => {
          read.close();
          end();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  #shared(): ImportThread {
    if (!this.#thread || this.#thread.hasEnded) this.#thread = this.#newThread(true);
    return this.#thread;
  }

  #newThread(isShared: boolean): ImportThread {
    const { log, script } = this.#options;
    return new ImportThread({ log, isShared, ...(script && { script }) });
  }

  #close(path: string, file: OpenedFile): void {
    file.dispose();
    if (this.#open.get(path)?.file === file) this.#open.delete(path);
    if (this.#open.size === 0) this.#endThread();
    for (const { conversation } of file.report?.conversations ?? []) void this.forget(conversation);
  }

  #endThread(): void {
    this.#thread?.dispose();
    this.#thread = undefined;
  }

  #opened(): Promise<TranscriptStore> {
    return (this.#store ??= this.#openStore());
  }

  async #openStore(): Promise<TranscriptStore> {
    const { folder, log, openStore, onStore } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftOvers(folder, log);
    const root = this.#root;
    const onProblem: TranscriptStoreOptions['onProblem'] = ({ title, detail }) =>
      log.error(`${title}. ${detail}`);
    const store = await openStore({ root, log, onProblem, limits: PASSING });
    onStore({ store, root });
    return store;
  }

  get #root(): string {
    return join(this.#options.folder, this.#name);
  }
}

/** Up to which size a file is read on the shared thread, in bytes: it is busy with one at a time. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;

/** What is read of open files can be read again, so that few writes are enough; whoever shows it has it from memory. */
const PASSING = { lingerMs: 5_000, syncMs: 60_000 };

/** How the folder of a process of this machine begins. */
const NAME = hostname().replace(/[^A-Za-z0-9]+/g, '-');

/** Removes the folders of processes of this machine that have ended. */
async function removeLeftOvers(folder: string, log: Log): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${NAME}-`)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(NAME.length + 1))?.[1]);
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    try {
      await removePassingStore(folder, name);
    } catch (error) {
      log.warn(`What an earlier window has read of open files cannot be removed: ${messageOf(error)}`);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

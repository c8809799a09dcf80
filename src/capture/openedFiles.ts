import { stat } from 'node:fs/promises';
import type { Disposable } from '../core/event.js';
import { messageOf } from '../core/text.js';
import type { ReadWay } from '../search/reader/importCalls.js';
import { ImportThread, type FileOnThread } from '../search/reader/importThread.js';
import type { TranscriptStore } from '../store/transcriptStore.js';
import { FolderWatches } from '../node/folderWatches.js';
import { LookRounds } from './lookRounds.js';
import { OpenedFile, type FileReport } from './openedFile.js';
import { PassingStore, type PassingStoreOptions } from './passingStore.js';
import type { LogRecord } from '../core/record.js';
import type { ImportedRecord } from '../import/reading/importResult.js';
import type { Journal } from '../core/ports/journal.js';

/** Up to which size a file is read on the shared thread, in bytes: it is busy with one at a time. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;

/** What threads there are to read files on. */
interface FileThreads {
  /** The one that all small files share, so that nobody waits for one to begin. */
  readonly shared: () => ImportThread;
  readonly begin: () => ImportThread;
}

/**
 * The thread on which a file is read. That of a long file is its own, from the first look at the file until what was read of it is
 * closed, so that its first rows wait for one thread to begin and not for two.
 */
export class ThreadOfFile implements Disposable {
  readonly #path: string;
  readonly #threads: FileThreads;
  #own: ImportThread | undefined;
  #isOver = false;

  constructor(path: string, threads: FileThreads) {
    this.#path = path;
    this.#threads = threads;
  }

  /** The thread, as large as the file is now. Rejects where nobody has the file open any more. */
  async found(): Promise<ImportThread> {
    const size = await stat(this.#path).then(
      (about) => about.size,
      () => 0,
    );
    if (this.#isOver) throw new Error('It was closed.');
    if (this.#own) return this.#own;
    if (size <= MAX_SHARED_BYTES) return this.#threads.shared();
    return (this.#own = this.#threads.begin());
  }

  /** What was read on this thread is needed no longer: it ends, unless others read on it. */
  leave(thread: ImportThread): void {
    if (this.#own !== thread) return;
    this.#own = undefined;
    thread.dispose();
  }

  dispose(): void {
    this.#isOver = true;
    this.#own?.dispose();
    this.#own = undefined;
  }
}

/** What opening files needs. */
export interface OpenedFilesOptions extends PassingStoreOptions {
  /** The bundle of the thread that reads files; by default where the build puts it. */
  readonly script?: URL;
}

/** A file that somebody has open, until it is disposed. */
export interface OpenFile extends Disposable {
  readonly file: OpenedFile;
  readonly report: FileReport;
}

/**
 * The files of other tools that are shown where they are. What is read of them lies in a passing store, and goes when the last view
 * of a file closes.
 */
export class OpenedFiles implements Disposable {
  readonly #options: OpenedFilesOptions;
  readonly #passing: PassingStore;
  readonly #open = new Map<
    string,
    {
      readonly file: OpenedFile;
      readonly thread: ThreadOfFile;
      readonly opening: Promise<FileReport>;
      users: number;
    }
  >();
  readonly #growing = new GrowingConversations();
  readonly #rounds = new LookRounds();
  readonly #watches = new FolderWatches();
  /** The thread that reads small files, while any file is open. */
  #thread: ImportThread | undefined;

  constructor(options: OpenedFilesOptions) {
    this.#options = options;
    this.#passing = new PassingStore(options);
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
      if (isOpen && --known.users === 0) this.#close(path, known);
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
    await this.#passing.forget(conversation, this.#growing.end(conversation));
  }

  /** Stops following all files, and removes what was read of them. */
  async close(): Promise<void> {
    for (const { file, thread } of this.#open.values()) {
      file.dispose();
      thread.dispose();
    }
    this.#open.clear();
    this.#rounds.dispose();
    this.#endThread();
    await this.#passing.close();
  }

  dispose(): void {
    void this.close().catch((error: unknown) => {
      this.#options.log.warn(`What was read of open files is removed later: ${messageOf(error)}`);
    });
  }

  #begin(path: string, onProgress: (done: number) => void) {
    const { log } = this.#options;
    const thread = new ThreadOfFile(path, {
      shared: () => this.#shared(),
      begin: () => this.#newThread(false),
    });
    const file = new OpenedFile(path, {
      read: (_, signal, onRead, way) => readOn(thread, path, signal, onRead, way),
      stamp: async (_, beside, before) =>
        (before ? this.#shared() : await thread.found()).stamp(path, beside, before),
      keep: async ({ id, title, project, records }, from, signal) => {
        const source = { ...from, session: id, title, ...(project !== undefined && { project }) };
        const store = await this.#opened();
        return (await store.importRecords(source, records, signal)).conversation;
      },
      add: async (conversation, records) => this.#growing.add(await this.#opened(), conversation, records),
      rest: (conversation) => this.#growing.end(conversation),
      fill: async (conversation, followed, signal, onFilled) =>
        followed.fill(await (await this.#opened()).target(conversation), signal, onFilled),
      rounds: this.#rounds,
      watches: this.#watches,
      now: () => Date.now(),
      log,
    });
    const known = { file, thread, opening: file.open(onProgress), users: 0 };
    this.#open.set(path, known);
    return known;
  }

  #shared(): ImportThread {
    if (!this.#thread || this.#thread.hasEnded) this.#thread = this.#newThread(true);
    return this.#thread;
  }

  #newThread(isShared: boolean): ImportThread {
    const { log, script } = this.#options;
    return new ImportThread({ log, isShared, ...(script && { script }) });
  }

  #close(path: string, { file, thread }: { readonly file: OpenedFile; readonly thread: ThreadOfFile }): void {
    file.dispose();
    thread.dispose();
    if (this.#open.get(path)?.file === file) this.#open.delete(path);
    if (this.#open.size === 0) this.#endThread();
    for (const { conversation } of file.report?.conversations ?? []) void this.forget(conversation);
  }

  #endThread(): void {
    this.#thread?.dispose();
    this.#thread = undefined;
  }

  #opened(): Promise<TranscriptStore> {
    return this.#passing.opened();
  }
}

async function readOn(
  of: ThreadOfFile,
  path: string,
  signal: AbortSignal,
  onProgress: (done: number) => void,
  way: ReadWay,
): Promise<FileOnThread> {
  const thread = await of.found();
  try {
    const read = await thread.read(path, signal, onProgress, { isGrowing: true, way });
    return {
      ...read,
      close: () => {
        read.close();
        of.leave(thread);
      },
    };
  } catch (error) {
    of.leave(thread);
    throw error;
  }
}

/** A conversation to which records are added as they come. */
interface Growing {
  readonly journal: Journal;
  seq: number;
}

/** The conversations of a store that grow with the files that they are read from, each kept open for writing. */
class GrowingConversations {
  readonly #open = new Map<string, Promise<Growing>>();

  /**
   * Adds records behind those that a conversation has; those who read it see them at once, the disk gets them later. Rejects
   * with an error for a person where it cannot be written, and where more waits for the disk than may.
   */
  async add(store: TranscriptStore, conversation: string, records: readonly ImportedRecord[]): Promise<void> {
    const opening = this.#open.get(conversation) ?? begin(store, conversation);
    this.#open.set(conversation, opening);
    const growing = await opening.catch((error: unknown) => {
      this.#open.delete(conversation);
      throw error;
    });
    for (const record of records) {
      growing.journal.append({ ...record, conversation, seq: ++growing.seq } as LogRecord);
      if (growing.journal.state.full !== true) continue;
      const { problem } = await growing.journal.flush();
      if (problem !== undefined) throw new Error(problem);
    }
  }

  /** Nothing more is added to a conversation; resolves once all of it is on the disk. */
  async end(conversation: string): Promise<void> {
    const opening = this.#open.get(conversation);
    this.#open.delete(conversation);
    await (await opening)?.journal.close();
  }
}

async function begin(store: TranscriptStore, conversation: string): Promise<Growing> {
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new Error(resumed.refused);
  return { journal: resumed.journal, seq: resumed.lastSeq };
}

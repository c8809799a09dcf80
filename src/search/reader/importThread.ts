import { onAbort } from '../../core/abort.js';
import type { FileStamp } from '../../import/reading/fileStamp.js';
import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { Thread } from '../../node/thread.js';
import type { Log } from '../../core/ports/log.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import type { SessionRecords, WriteOptions } from '../../store/write/importSession.js';
import type {
  ImportCalls,
  ImportHostCalls,
  ImportWork,
  LookAsk,
  Looked,
  ReadConversation,
  ReadFile,
  ReadOptions,
  RecordsOf,
  ReportedSoFar,
  PendingParts,
} from './importCalls.js';

const SCRIPT = new URL('./workers/import.js', import.meta.url);

/** How long a thread that is to end may take to leave nothing behind, in milliseconds. */
const END_MS = 5_000;

/** A larger nursery only lets more of what is read wait for the garbage collector, in megabytes. */
const YOUNG_MEGABYTES = 16;

/** What an import needs. */
export interface ImportThreadOptions {
  /** The bundle of `import.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
  /** See `openImport`. */
  readonly heldBytes?: number;
  /** Whether several that know nothing of each other read with it: then the end of one of them gives up its own file only. */
  readonly isShared?: boolean;
  readonly log: Log;
}

/** A conversation of a file, with its records on the thread that read it. */
export interface ConversationOnThread extends ReadConversation {
  readonly records: SessionRecords;
}

/** What a long file has told while its rest was read, and how many records that gave. */
export type Filled = ReportedSoFar & { readonly records: number };

/** A file that is followed on the thread. */
export interface FollowedOnThread extends PendingParts {
  /** Looks at it, with all others for which that is asked in the same moment. */
  readonly look: (isQuiet: boolean) => Promise<Looked>;
  /** Adds its rest to the conversation that has its first records; see `ImportCalls.fill`. */
  readonly fill: (
    target: ReadTarget,
    signal: AbortSignal,
    onFilled: (told: Filled) => void,
  ) => Promise<Filled>;
}

/** A file that was read on the thread. */
export interface FileOnThread extends Pick<ReadFile, 'format' | 'path' | 'problems' | 'readWith'> {
  readonly conversations: readonly ConversationOnThread[];
  /** Where what it gains is read without reading it again; undefined where it is read as a whole each time. */
  readonly followed: FollowedOnThread | undefined;
  /** Gives up the records. */
  readonly close: () => void;
}

/**
 * The thread of one import: there files are read and compared, and new conversations written. Here, messages are passed
 * on, and what a stored conversation gains is added to it.
 */
export class ImportThread implements Disposable {
  readonly #thread: Thread<ImportCalls>;
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4));
  readonly #isShared: boolean;
  readonly #open = new Set<number>();
  #hasEnded = false;
  readonly #progress = new Map<number, (done: number) => void>();
  readonly #filled = new Map<number, (told: Filled) => void>();
  #asked: { readonly ask: LookAsk; readonly resolve: (looked: Promise<Looked>) => void }[] = [];
  #lastFile = 0;

  constructor({ script = SCRIPT, heldBytes, isShared = false, log }: ImportThreadOptions) {
    this.#isShared = isShared;
    const host: ImportHostCalls = {
      progress: (file, done) => this.#progress.get(file)?.(done),
      filled: (file, told) => this.#filled.get(file)?.(told),
    };
    this.#thread = new Thread({
      name: 'import',
      script,
      data: () => ({ cancelled: this.#cancelled, heldBytes }) satisfies ImportWork,
      youngMegabytes: YOUNG_MEGABYTES,
      host,
      log,
      onEnd: (error) => {
        this.#hasEnded = true;
        // What it knew of its files ended with it.
        this.#thread.dispose();
        if (error) log.error(`The thread that reads files for an import ended: ${messageOf(error)}`);
      },
    });
  }

  /**
   * Reads a file; of one that `isGrowing`, a last line that is not whole is left for later. Rejects as `openImport` does, with
   * the signal's reason, and where the thread ends, as it does where a file takes more memory than there is.
   */
  async read(
    path: string,
    signal: AbortSignal,
    onProgress: (done: number) => void,
    options: ReadOptions = { isGrowing: false },
  ): Promise<FileOnThread> {
    const file = ++this.#lastFile;
    this.#progress.set(file, onProgress);
    this.#open.add(file);
    const leave = onAbort(signal, () => (this.#isShared ? this.#giveUp(file) : this.#stop()));
    try {
      const { conversations, followed, ...told } = await this.#thread.call('read', file, path, options);
      signal.throwIfAborted();
      return {
        ...told,
        conversations: conversations.map((each, at) => ({
          ...each,
          records: this.#records([file, at], each),
        })),
        followed: followed && this.#followed(file, followed),
        close: () => this.#forget(file),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      leave();
      this.#progress.delete(file);
    }
  }

  /** How a file is on the disk; see `stampOf`. */
  stamp(path: string, beside: readonly string[], before?: FileStamp): Promise<FileStamp | undefined> {
    return this.#thread.call('stamp', path, beside, before);
  }

  /** Whether it can read no more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Ends the thread, once it has removed what lies in temporary files. */
  dispose(): void {
    this.#stop();
    const end = () => this.#thread.dispose();
    const late = setTimeout(end, END_MS).unref();
    const files = Array.from(this.#open, (file) => this.#thread.call('cancel', file));
    void Promise.allSettled(files).then(() => {
      clearTimeout(late);
      end();
    });
  }

  #followed(file: number, waiting: PendingParts): FollowedOnThread {
    return {
      ...waiting,
      look: (isQuiet) =>
        new Promise((resolve) => {
          if (this.#asked.push({ ask: { file, isQuiet }, resolve }) === 1)
            queueMicrotask(() => this.#lookAtAsked());
        }),
      fill: async (target, signal, onFilled) => {
        this.#filled.set(file, onFilled);
        const leave = onAbort(signal, () => (this.#isShared ? this.#giveUp(file) : this.#stop()));
        try {
          return await this.#thread.call('fill', file, target);
        } finally {
          leave();
          this.#filled.delete(file);
        }
      },
    };
  }

  /** One message for all of them: waking a thread up costs more than looking at a file. */
  #lookAtAsked(): void {
    const asked = this.#asked;
    this.#asked = [];
    const looked = this.#thread.call(
      'look',
      asked.map(({ ask }) => ask),
    );
    for (const [at, { resolve }] of asked.entries())
      resolve(looked.then((all) => all[at] ?? { failure: 'It was not looked at.' }));
  }

  #stop(): void {
    Atomics.store(this.#cancelled, 0, 1);
  }

  #giveUp(file: number): void {
    this.#open.delete(file);
    this.#thread.tell('cancel', file);
  }

  #forget(file: number): void {
    this.#open.delete(file);
    this.#thread.tell('close', file);
  }

  #records(of: RecordsOf, { length, begins }: ReadConversation): SessionRecords {
    const thread = this.#thread;
    return {
      length,
      begins,
      compare: (paths) => thread.call('compare', of, targetOf(paths)),
      write: async (paths, { signal, ...options }: WriteOptions) => {
        const leave = onAbort(signal, () => thread.tell('cancel', of[0]));
        try {
          return await thread.call('write', of, targetOf(paths), options);
        } catch (error) {
          signal?.throwIfAborted();
          throw error;
        } finally {
          leave();
        }
      },
      async *behind(count, conversation) {
        for (;;) {
          const batch = await thread.call('behind', of, count, conversation);
          if (batch.length === 0) return;
          yield batch;
        }
      },
    };
  }
}

function targetOf({ root, id, name }: ConversationPaths): ReadTarget {
  return { root, id, name, readOnly: false };
}

import { stat } from 'node:fs/promises';
import type { Disposable } from '../core/event.js';
import type { ImportThread } from '../search/reader/importThread.js';

/** Up to which size a file is read on the shared thread, in bytes: it is busy with one at a time. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;

/** What threads there are to read files on. */
export interface FileThreads {
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

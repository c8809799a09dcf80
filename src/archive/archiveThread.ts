import { Worker } from 'node:worker_threads';
import type { Disposable } from '../core/event.js';
import { presentTranslations } from '../core/l10n.js';
import { PortCalls } from '../node/portCalls.js';
import type { Log } from '../ports/log.js';
import type { ArchiveCalls, ArchiveHostCalls } from './archiveCalls.js';

const SCRIPT = new URL('./workers/archive.js', import.meta.url);

/** What the thread needs. */
export interface ArchiveThreadOptions {
  readonly log: Log;
  /** Called with how many conversations of a push are done. */
  readonly onProgress: (done: number) => void;
  /** Called where the thread has ended. */
  readonly onEnd: () => void;
  /** The bundle of `archive.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
}

/** The thread that pushes to an archive, beside the one that draws the editor: neither a run nor a panel waits for it. */
export class ArchiveThread implements Disposable {
  readonly #worker: Worker;
  readonly calls: PortCalls<ArchiveCalls>;

  constructor({ log, onProgress, onEnd, script = SCRIPT }: ArchiveThreadOptions) {
    this.#worker = new Worker(script, {
      ...{ name: 'archive', execArgv: [], workerData: presentTranslations() },
    });
    const host: ArchiveHostCalls = { progress: onProgress };
    this.calls = new PortCalls<ArchiveCalls>(this.#worker, host);
    this.#worker.on('error', (error) => log.error('The thread that pushes to the archive ended', error));
    this.#worker.on('exit', () => {
      this.calls.close();
      onEnd();
    });
  }

  /** Ends it at once: what was not pushed is pushed the next time. */
  dispose(): void {
    void this.#worker.terminate();
  }
}

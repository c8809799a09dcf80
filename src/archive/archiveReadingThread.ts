import { Worker } from 'node:worker_threads';
import type { Disposable } from '../core/event.js';
import { presentTranslations } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { PortCalls } from '../node/portCalls.js';
import type { Log } from '../core/ports/log.js';
import type { ArchiveReadingCalls, ArchiveReadingHostCalls } from './archiveReadingCalls.js';

const SCRIPT = new URL('./workers/archiveReading.js', import.meta.url);

/** What the thread needs. */
export interface ArchiveReadingOptions {
  readonly log: Log;
  /** Called with how many records of a conversation have come. */
  readonly onFilled: (reading: number, records: number) => void;
  /** Called where the thread has ended. */
  readonly onEnd: () => void;
  /** The bundle of `archiveReading.worker.ts`; by default where the build puts it. */
  readonly script?: URL | undefined;
}

/** The thread that lists and reads an archive for the views of a window. */
export class ArchiveReadingThread implements Disposable {
  readonly #worker: Worker;
  readonly calls: PortCalls<ArchiveReadingCalls>;

  constructor({ log, onFilled, onEnd, script = SCRIPT }: ArchiveReadingOptions) {
    this.#worker = new Worker(script, {
      name: 'archive reader',
      execArgv: [],
      workerData: { translations: presentTranslations() },
    });
    this.#worker.unref();
    const host: ArchiveReadingHostCalls = {
      filled: onFilled,
      log: (level, message) => log[level](message),
    };
    this.calls = new PortCalls<ArchiveReadingCalls>(this.#worker, host);
    this.#worker.on('error', (error) => log.error(`The archive is read no more: ${messageOf(error)}`));
    this.#worker.on('exit', () => {
      this.calls.close();
      onEnd();
    });
  }

  /** Ends it at once. */
  dispose(): void {
    void this.#worker.terminate();
  }
}

import type { Disposable } from '../core/event.js';
import { presentTranslations } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { Thread } from '../node/thread.js';
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
  readonly calls: Thread<ArchiveReadingCalls>;

  constructor({ log, onFilled, onEnd, script = SCRIPT }: ArchiveReadingOptions) {
    const host: ArchiveReadingHostCalls = { filled: onFilled };
    this.calls = new Thread({
      name: 'archive reader',
      script,
      data: () => ({ translations: presentTranslations() }),
      host,
      log,
      onEnd: (error) => {
        // What it had opened ended with it: it is not to be asked any more.
        this.calls.dispose();
        if (error) log.error(`The archive is read no more: ${messageOf(error)}`);
        onEnd();
      },
    });
  }

  /** Ends it at once. */
  dispose(): void {
    this.calls.dispose();
  }
}

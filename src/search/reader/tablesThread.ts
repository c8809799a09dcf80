import { onAbort } from '../../core/abort.js';
import { Thread } from '../../node/thread.js';
import type {
  Decided,
  TablesFindings,
  TablesProgress,
  TablesReport,
} from '../../export/tables/exportTables.js';
import type { Log } from '../../core/ports/log.js';
import type { SharingWork } from './exportRecords.js';
import type { ReadTarget } from '../../store/transcriptStore.js';

/** A conversation whose tables are to be written; everything of it is on the disk. */
export interface TablesTarget {
  readonly target: ReadTarget;
  readonly title: string;
  readonly source?: string | undefined;
  readonly project?: string | undefined;
  /** The positions of the records to export, ascending; absent: all. */
  readonly positions?: readonly number[] | undefined;
}

/** What tables are to be written, and where; it can be sent to another thread. */
export interface TablesWork {
  readonly targets: readonly TablesTarget[];
  /** The absolute path of the folder to make; there is none yet. */
  readonly folder: string;
  /** Whether secrets are replaced. */
  readonly redact: boolean;
  /** How what is left out is decided. */
  readonly sharing: Pick<SharingWork, 'policy' | 'asks'>;
  /** The path of the person's file with own prices; '' for none. */
  readonly ownPrices: string;
}

/** What the thread of tables answers. */
export interface TablesCalls {
  export(work: TablesWork): Promise<TablesReport>;
  cancel(): void;
}

/** What the thread of tables asks of the one that started it. */
export interface TablesHostCalls {
  progress(progress: TablesProgress): void;
  review(found: TablesFindings): Promise<Decided>;
}

/** How to write tables on a thread. */
export interface TablesOnThreadOptions {
  /** The bundle of `tables.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TablesProgress) => void;
  /** Asks a person, as `sharing.asks` says; what it rejects with, the export rejects with. */
  readonly review: (found: TablesFindings) => Promise<Decided>;
}

/**
 * Writes tables on a thread that lives only for that; see `exportTables`, also for what it rejects with. When the signal is
 * aborted, nothing is left, and this rejects with its reason.
 */
export async function exportTablesOnThread(
  work: TablesWork,
  {
    script = new URL('./workers/tables.js', import.meta.url),
    log,
    signal,
    onProgress,
    review,
  }: TablesOnThreadOptions,
): Promise<TablesReport> {
  // An error that crosses threads is another one: whoever asked the person knows the own one.
  let left: { readonly why: unknown } | undefined;
  const host: TablesHostCalls = {
    progress: onProgress,
    review: async (found) => {
      try {
        return await review(found);
      } catch (why) {
        left = { why };
        throw why;
      }
    },
  };
  const thread = new Thread<TablesCalls>({ name: 'tables', script, host, log });
  const leave = onAbort(signal, () => thread.tell('cancel'));
  try {
    signal.throwIfAborted();
    return await thread.call('export', work);
  } catch (error) {
    signal.throwIfAborted();
    throw left ? left.why : error;
  } finally {
    leave();
    thread.dispose();
  }
}

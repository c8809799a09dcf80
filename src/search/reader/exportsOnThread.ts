import type { PriorityGate } from '../../page/panel/recordReader.js';
import type { Log } from '../../core/ports/log.js';
import { pathsOf } from '../../store/files/storePaths.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { readSource } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import { loadUsablePrices } from '../../query/pricing/loadPrices.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import { countedRecords, countsOfRecords } from '../../query/tokens/countedRecords.js';
import type { TokenService } from '../../query/tokens/tokenService.js';
import { exportRecords, type ExportMade, type ExportProgressed, type ExportWork } from './exportRecords.js';

/** What the exports need of their thread. */
export interface ExportsOptions {
  readonly tokens: () => TokenService;
  readonly log: Log;
  /** What people wait for on the thread: it comes before an export. */
  readonly gate: Pick<PriorityGate, 'done'>;
  /** Told with 0 once the transcript of an export is open, later with the number of records that are read. */
  readonly onProgress: (job: number, ...progress: Parameters<ExportProgressed>) => void;
}

/** The exports that run on the reader's thread, each named by a number that whoever asks for it gives. */
export class ExportsOnThread {
  readonly #options: ExportsOptions;
  readonly #running = new Map<number, AbortController>();

  constructor(options: ExportsOptions) {
    this.#options = options;
  }

  /** Exports a conversation of which everything is on the disk. Rejects as `readSource` and `exportRecords` do. */
  async export(job: number, target: ReadTarget, work: ExportWork): Promise<ExportMade> {
    const stop = new AbortController();
    this.#running.set(job, stop);
    try {
      return await this.#export(job, target, work, stop.signal);
    } finally {
      this.#running.delete(job);
    }
  }

  /** Ends an export, which then rejects; one that is over stays as it is. */
  cancel(job: number): void {
    this.#running.get(job)?.abort();
  }

  async #export(
    job: number,
    { root, id, name, readOnly }: ReadTarget,
    work: ExportWork,
    signal: AbortSignal,
  ): Promise<ExportMade> {
    const { tokens, log, gate, onProgress } = this.#options;
    const paths = pathsOf(root, id, name);
    const source = new SharedSource(await readSource(paths, log, readOnly), log);
    const transcript = new StoredTranscript(paths, source, () => source.dispose());
    try {
      signal.throwIfAborted();
      onProgress(job, 0, transcript.length);
      return await exportRecords(transcript, work, {
        loadPrices: loadUsablePrices,
        counted: (records) =>
          countedRecords(records, {
            countsOf: (batch) => countsOfRecords(tokens(), batch, signal),
            log,
            signal,
          }),
        onProgress: (read, all) => onProgress(job, read, all),
        rest: () => gate.done(),
        signal,
      });
    } finally {
      await transcript.close();
    }
  }
}

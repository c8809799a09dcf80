import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../ports/log.js';
import { encodeBatch, releaseBatch, spansOf } from './journalBatch.js';
import { SyncError, type JournalFiles } from './journalFiles.js';
import type { LiveRecords } from '../read/liveRecords.js';
import { weightOf } from '../format/recordWeight.js';
import { hasLargeText } from '../format/spillTexts.js';

/** The size of a batch, in records and roughly in bytes, limited so that encoding it takes milliseconds. */
const BATCH_RECORDS = 256;
const BATCH_BYTES = 512 * 1024;

/** Written lines that may not survive a power cut yet. */
interface Unsynced {
  readonly records: readonly LogRecord[];
  /** The position of the first record. */
  readonly position: number;
  readonly lastSeq: number;
}

/** What a writer needs. */
export interface JournalWriterOptions {
  readonly files: JournalFiles;
  readonly live: LiveRecords;
  readonly log: Log;
  /** Moves the large texts of a record to files of their own; gives the record unchanged where that fails. */
  spill(record: LogRecord): Promise<LogRecord>;
}

/** Writes waiting records to disk, batch by batch. Except for `sync`, calls must not overlap. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #unsynced: Unsynced[] = [];
  /** Set after a failed sync: all unsynced lines must be written again, elsewhere, before a sync can be trusted. */
  mistrusted = false;
  /** The highest seq that survives a power cut. */
  durable: number;
  /** The number of records of this writer that survive a power cut. */
  synced = 0;
  /** The number of further records that are written. */
  unsynced = 0;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.durable = options.live.index.maxSeq;
  }

  /** Whether there is something to write. */
  get hasWork(): boolean {
    return this.mistrusted || this.#options.live.waiting > 0;
  }

  /** Writes the next batch and gives roughly how many bytes of memory it frees; throws where nothing was written. */
  async writeNext(): Promise<number> {
    const { files, live, log } = this.#options;
    if (this.mistrusted) await this.#rewrite();
    const { records, weight } = this.#next();
    const last = records.at(-1);
    if (!last) return 0;
    const prepared: LogRecord[] = [];
    for (const record of records) {
      prepared.push(hasLargeText(record) ? await this.#options.spill(record) : record);
    }
    const batch = encodeBatch(prepared, log);
    const written = await this.#guarded(files.append(batch.bytes));
    const position = live.index.size;
    live.settle(spansOf(batch, written));
    releaseBatch(batch);
    this.#unsynced.push({ records: prepared, position, lastSeq: last.seq });
    this.unsynced += records.length;
    return weight;
  }

  /** Makes what is written so far durable; throws where the disk does not confirm it. */
  async sync(): Promise<void> {
    const batches = this.#unsynced.length;
    await this.#guarded(this.#options.files.sync());
    for (const { records, lastSeq } of this.#unsynced.splice(0, batches)) {
      this.durable = Math.max(this.durable, lastSeq);
      this.synced += records.length;
      this.unsynced -= records.length;
    }
  }

  #next(): { records: LogRecord[]; weight: number } {
    const records: LogRecord[] = [];
    let weight = 0;
    for (const record of this.#options.live.peek(0, BATCH_RECORDS)) {
      weight += weightOf(record);
      records.push(record);
      if (weight > BATCH_BYTES) break;
    }
    return { records, weight };
  }

  async #rewrite(): Promise<void> {
    const { files, live, log } = this.#options;
    const [first] = this.#unsynced;
    const batch = encodeBatch(
      this.#unsynced.flatMap(({ records }) => records),
      log,
    );
    const spans = spansOf(batch, await files.rewrite(batch.bytes));
    spans.forEach((span, at) => live.index.move((first?.position ?? 0) + at, span));
    releaseBatch(batch);
    this.mistrusted = false;
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof SyncError) this.mistrusted = true;
      throw error;
    }
  }
}

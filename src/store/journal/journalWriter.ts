import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../ports/log.js';
import { encodeBatch, giveBack, spansOf } from './journalBatch.js';
import { SyncError, type JournalFiles } from './journalFiles.js';
import type { LiveRecords } from './liveRecords.js';
import { weightOf } from './recordWeight.js';
import { hasLargeText } from '../spill/spillTexts.js';

/** A batch takes milliseconds to make, so it holds at most so many records and about so many bytes. */
const BATCH_RECORDS = 256;
const BATCH_BYTES = 512 * 1024;

/** Lines that are written, but may not survive a power cut yet. */
interface Unsynced {
  readonly records: readonly LogRecord[];
  /** The position of its first record. */
  readonly position: number;
  readonly lastSeq: number;
}

export interface JournalWriterOptions {
  readonly files: JournalFiles;
  readonly live: LiveRecords;
  readonly log: Log;
  /** Moves the large texts of a record to files of their own; gives the record itself where that fails. */
  spill(record: LogRecord): Promise<LogRecord>;
}

/** Brings waiting records to the disk, a batch at a time. One call at a time, `sync` aside. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #unsynced: Unsynced[] = [];
  /** After a failed sync: all unsynced lines must be written again, elsewhere, before a sync may be believed. */
  mistrusted = false;
  /** The highest seq that survives a power cut. */
  durable: number;
  /** How many records of this writer survive a power cut. */
  synced = 0;
  /** How many more are written. */
  unsynced = 0;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.durable = options.live.index.maxSeq;
  }

  /** Whether there is something to write. */
  get hasWork(): boolean {
    return this.mistrusted || this.#options.live.waiting > 0;
  }

  /** Writes the next batch and gives about how many bytes of memory it held; throws where nothing was written. */
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
    giveBack(batch);
    this.#unsynced.push({ records: prepared, position, lastSeq: last.seq });
    this.unsynced += records.length;
    return weight;
  }

  /** Makes what is written so far durable; throws where the disk cannot say that it is. */
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
    giveBack(batch);
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

import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import { encodeBatch, releaseBatch, spansOf } from './journalBatch.js';
import { SyncError, type JournalFiles } from './journalFiles.js';
import type { LiveRecords } from '../read/liveRecords.js';
import { weightOf } from '../format/recordWeight.js';
import { hasLargeText } from '../format/spillTexts.js';

/** The size of a batch, in records and roughly in bytes, limited so that encoding it takes milliseconds. */
const BATCH_RECORDS = 256;
const BATCH_BYTES = 512 * 1024;

/**
 * How much of what was written stays in memory while its conversation is being recorded, in bytes (see `weightOf`), in
 * case its file loses it; the records are mostly those that the run's own history holds too.
 */
const HELD_BYTES = 64 * 1024 * 1024;

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
  /** The latest records that were written, without a gap; all unsynced ones are among them. */
  readonly #held: LogRecord[] = [];
  #heldBytes = 0;
  /** Held records that are to be written again before the unsynced ones, because their file lost them. */
  #again = false;
  /** Set after a failed sync: all unsynced lines must be written again, elsewhere, before a sync can be trusted. */
  mistrusted = false;
  /** Whether records are gone that only a file had, so that the index is not what the files have. */
  hasLost = false;
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

  /** Roughly how many bytes of memory the next batch frees. */
  get nextBytes(): number {
    return this.#next().weight;
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
    this.#hold(prepared);
    return weight;
  }

  /**
   * To be called when only `size` bytes are left of the open file: everything held is written again, elsewhere. Gives how
   * many records that are, and how many others are gone; undefined where it is under way already.
   */
  writeAllAgain(size: number): { readonly again: number; readonly lost: number } | undefined {
    if (this.#again) return undefined;
    const { files, live } = this.#options;
    const first = live.index.size - this.#held.length;
    const segment = files.end?.segment;
    let lost = 0;
    for (let at = 0; at < first; at++) {
      const span = live.index.span(at);
      if (span.segment === segment && span.start + span.length > size) lost++;
    }
    this.hasLost ||= lost > 0;
    this.#again = true;
    this.mistrusted = true;
    this.synced -= this.#held.length - this.unsynced;
    this.unsynced = this.#held.length;
    this.durable = Math.min(this.durable, (this.#held[0]?.seq ?? Number.POSITIVE_INFINITY) - 1);
    this.#unsynced = [{ records: [...this.#held], position: first, lastSeq: live.index.maxSeq }];
    return { again: this.#held.length, lost };
  }

  #hold(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#held.push(record);
      this.#heldBytes += weightOf(record);
    }
    let dropped = 0;
    while (this.#heldBytes > HELD_BYTES && this.#held.length - dropped > this.unsynced) {
      const oldest = this.#held[dropped++];
      if (oldest) this.#heldBytes -= weightOf(oldest);
    }
    if (dropped > 0) this.#held.splice(0, dropped);
  }

  /** Makes what is written so far durable; throws where the disk does not confirm it. */
  async sync(): Promise<void> {
    const written = new Set(this.#unsynced);
    await this.#guarded(this.#options.files.sync());
    const confirmed = this.#unsynced.filter((batch) => written.has(batch));
    this.#unsynced = this.#unsynced.filter((batch) => !written.has(batch));
    for (const { records, lastSeq } of confirmed) {
      this.durable = Math.max(this.durable, lastSeq);
      this.synced += records.length;
      this.unsynced -= records.length;
    }
  }

  #next(): { records: readonly LogRecord[]; weight: number } {
    const [records = []] = batchesOf(this.#options.live.peek(0, BATCH_RECORDS));
    return { records, weight: records.reduce((sum, record) => sum + weightOf(record), 0) };
  }

  async #rewrite(): Promise<void> {
    const { files, live, log } = this.#options;
    const [first] = this.#unsynced;
    let position = first?.position ?? 0;
    const wasAgain = this.#again;
    let isFirst = true;
    for (const records of batchesOf(this.#unsynced.flatMap((batch) => batch.records))) {
      const batch = encodeBatch(records, log);
      const written = await (isFirst ? files.rewrite(batch.bytes) : files.append(batch.bytes));
      for (const span of spansOf(batch, written)) live.index.move(position++, span);
      releaseBatch(batch);
      isFirst = false;
    }
    // The file may have lost lines only now.
    if (this.#again !== wasAgain) return;
    this.mistrusted = false;
    this.#again = false;
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

function* batchesOf(records: readonly LogRecord[]): Generator<readonly LogRecord[]> {
  let batch: LogRecord[] = [];
  let weight = 0;
  for (const record of records) {
    batch.push(record);
    weight += weightOf(record);
    if (weight <= BATCH_BYTES && batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  if (batch.length > 0) yield batch;
}

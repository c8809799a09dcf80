import { setTimeout as delay } from 'node:timers/promises';
import { onAbort } from '../core/abort.js';
import type { Event } from '../core/event.js';
import { yieldToEventLoop } from '../core/yieldToEventLoop.js';
import type { DamagedLine, ReadRecord, ScanBatch, Transcript } from '../ports/transcript.js';
import type { FilterCriteria } from '../query/filterCriteria.js';
import { allTextOf, contentTextOf } from '../query/textTest.js';
import type { ConversationPaths } from '../store/files/storePaths.js';
import type { RecordSource } from '../store/read/storedTranscript.js';
import { textSearch, type TextSearch } from '../store/search/indexed/textSearch.js';
import { TranscriptIndex, type IndexStep } from '../store/search/indexed/transcriptIndex.js';
import { STOP, CONTROL_LENGTH } from '../store/search/scanQuestion.js';
import { guarded, scanRecords } from '../store/search/scanRecords.js';
import { wholeRecord } from '../store/search/wholeRecord.js';

/** The most memory that the index of one transcript takes, in bytes; what does not fit is searched as bytes. */
const MAX_INDEX_BYTES = 150 * 1024 * 1024;
/** How long a search waits for others to read on before it reads on itself, in milliseconds. */
const MAX_WAIT_MS = 100;
/** How many records a search reads at a time. */
const RECORDS_PER_READ = 400;

/**
 * A transcript that is indexed for filters as it is read: each record is parsed once, for its row, for the totals and for
 * whoever searches it.
 */
export class IndexedTranscript implements Transcript {
  readonly #inner: Transcript;
  readonly #source: RecordSource;
  readonly #paths: ConversationPaths;
  readonly #maxBytes: number;
  #index: TranscriptIndex | undefined = new TranscriptIndex();
  #waiting: (() => void)[] = [];

  constructor(
    inner: Transcript,
    source: RecordSource,
    paths: ConversationPaths,
    maxBytes: number = MAX_INDEX_BYTES,
  ) {
    this.#inner = inner;
    this.#source = source;
    this.#paths = paths;
    this.#maxBytes = maxBytes;
  }

  get conversation(): string {
    return this.#inner.conversation;
  }

  get length(): number {
    return this.#inner.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#inner.damaged;
  }

  get onDidGrow(): Event<void> {
    return this.#inner.onDidGrow;
  }

  /** How many records are indexed. */
  get indexed(): number {
    return this.#index?.size ?? 0;
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const records = await this.#inner.read(start, end);
    this.#add(start, records);
    return records;
  }

  readSpill(path: string): Promise<string | undefined> {
    return this.#inner.readSpill(path);
  }

  close(): Promise<void> {
    this.#index = undefined;
    this.#wake();
    return this.#inner.close();
  }

  /**
   * Finds where criteria hold, from a position on and as far as the transcript goes now: by the index as far as it goes,
   * which waits for whoever reads the transcript anyway, then by the bytes of the rest. Throws an error for a person
   * where the criteria are invalid or a pattern does not end.
   */
  async *scan(criteria: FilterCriteria, signal: AbortSignal, from: number): AsyncGenerator<ScanBatch, void> {
    const { length } = this;
    const control = new Int32Array(CONTROL_LENGTH);
    const leave = onAbort(signal, () => void Atomics.store(control, STOP, 1));
    let at = from;
    try {
      for (;;) {
        for (const step of this.#index?.find(criteria, at) ?? []) {
          const positions = await this.#decided(step, criteria, signal);
          if (signal.aborted) return;
          yield { positions, scanned: step.scanned };
          at = step.scanned;
          await yieldToEventLoop();
        }
        if (!this.#index || at >= length) return;
        if (this.#isFull) break;
        const hasGrown = await this.#readOn(signal);
        if (signal.aborted || !hasGrown) return;
      }
      const rest = { paths: this.#paths, index: this.#source.index };
      for await (const { found, scanned } of scanRecords(rest, criteria, at, control, true)) {
        if (signal.aborted) return;
        yield { positions: Uint32Array.from(found, ({ position }) => position), scanned };
        await yieldToEventLoop();
      }
    } finally {
      leave();
    }
  }

  /** Whether the rest has to be searched as bytes, which only what is in files can be. */
  get #isFull(): boolean {
    return (this.#index?.bytes ?? 0) > this.#maxBytes && this.#source.index.size > this.indexed;
  }

  /** All positions of a step, after reading the records whose texts are not in the index. Throws where a test is stuck. */
  async #decided(
    { positions, undecided }: IndexStep,
    criteria: FilterCriteria,
    signal: AbortSignal,
  ): Promise<Uint32Array> {
    if (undecided.length === 0) return positions.slice();
    const search = textSearch(criteria);
    const found = Array.from(positions);
    for (const position of undecided) {
      if (signal.aborted) break;
      const [record] = await this.#inner.read(position, position + 1);
      if (record && (!search || hasText(await wholeRecord(record, this.#paths), search)))
        found.push(position);
    }
    return Uint32Array.from(found).sort();
  }

  #add(start: number, records: readonly ReadRecord[]): void {
    const index = this.#index;
    if (!index || start > index.size || start + records.length <= index.size || this.#isFull) return;
    for (const record of records.slice(index.size - start)) index.add(record, !('spill' in record));
    this.#wake();
  }

  /** Waits until more is indexed, by whoever else reads or, if nobody does, by reading here; false where nothing came. */
  async #readOn(signal: AbortSignal): Promise<boolean> {
    const before = this.indexed;
    const grown = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([grown, delay(MAX_WAIT_MS)]);
    if (this.indexed === before && !signal.aborted) await this.read(before, before + RECORDS_PER_READ);
    return this.indexed > before;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Tests the texts of a record with a time limit, because this thread, which all panels share, must not be ended. */
function hasText(record: ReadRecord, { test, isRisky }: TextSearch): boolean {
  const isMatch = () => test((part) => (part === 'all' ? allTextOf(record) : contentTextOf(record)));
  return isRisky ? guarded(isMatch)(record) : isMatch();
}

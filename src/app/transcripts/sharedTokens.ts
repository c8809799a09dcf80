import { messageOf } from '../../core/text.js';
import type { CountedRecord } from '../../panel/ports.js';
import type { Log } from '../../ports/log.js';
import type { TokenCounter } from '../../ports/tokenCounter.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { countsOfRecords, messageOfRecord } from '../../tokens/countRecords.js';
import type { TokenService } from '../../tokens/tokenService.js';

/** How many messages are counted at once. */
const BATCH = 200;

/** Records whose messages are counted as they are read, and a counter with the results. */
export interface CountedRecords {
  readonly records: AsyncIterable<ReadRecord>;
  readonly counter: TokenCounter;
}

/** The window's shared token counter; its thread starts with the first count. */
export class SharedTokens {
  readonly #log: Log;
  #service: Promise<TokenService> | undefined;
  #disposed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts messages while they are read; where that fails, their counts stay unknown. */
  counted(records: AsyncIterable<ReadRecord>, signal: AbortSignal): CountedRecords {
    const counts = new WeakMap<object, number>();
    const counter: TokenCounter = {
      count: () => {
        throw new Error('Only messages of the transcript are counted.');
      },
      countMessage: (message) => {
        const count = counts.get(message);
        if (count === undefined) throw new Error('This message was not counted.');
        return count;
      },
    };
    return { records: this.#pass(records, counts, signal), counter };
  }

  /** The tokens of each message among the records; rejects where they cannot be counted. */
  async countRecords(records: AsyncIterable<ReadRecord>, signal: AbortSignal): Promise<CountedRecord[]> {
    const read: ReadRecord[] = [];
    for await (const record of records) if (record.type === 'message') read.push(record);
    const counts = await this.#countsOf(read, signal);
    return read.map((record, index) => ({ record, tokens: counts[index] ?? 0 }));
  }

  dispose(): void {
    this.#disposed = true;
    void this.#service?.then((service) => service.dispose());
  }

  async *#pass(
    records: AsyncIterable<ReadRecord>,
    counts: WeakMap<object, number>,
    signal: AbortSignal,
  ): AsyncGenerator<ReadRecord, void, undefined> {
    let batch: ReadRecord[] = [];
    // While one batch is counted on the thread, the previous one is used here and the next one is read.
    let before: ReadRecord[] = [];
    let counted = Promise.resolve();
    for await (const record of records) {
      batch.push(record);
      if (batch.length < BATCH) continue;
      await counted;
      counted = this.#count(batch, counts, signal);
      yield* before;
      before = batch;
      batch = [];
    }
    await counted;
    counted = this.#count(batch, counts, signal);
    yield* before;
    await counted;
    yield* batch;
  }

  async #count(
    batch: readonly ReadRecord[],
    counts: WeakMap<object, number>,
    signal: AbortSignal,
  ): Promise<void> {
    const records = batch.filter(({ type }) => type === 'message');
    try {
      const counted = await this.#countsOf(records, signal);
      records.forEach((record, index) => counts.set(messageOfRecord(record), counted[index] ?? 0));
    } catch (error) {
      if (!signal.aborted) this.#log.warn(`Tokens could not be counted: ${messageOf(error)}`);
    }
  }

  /** The counts of records with messages. */
  async #countsOf(records: readonly ReadRecord[], signal: AbortSignal): Promise<readonly number[]> {
    const service = await (this.#service ??= this.#start());
    return countsOfRecords(service, records, signal);
  }

  async #start(): Promise<TokenService> {
    const { TokenService } = await import('../../tokens/tokenService.js');
    const service = new TokenService();
    if (this.#disposed) service.dispose();
    return service;
  }
}

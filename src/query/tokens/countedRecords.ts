import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { ChatMessage } from '../../core/message.js';
import type { MessageRecord } from '../../core/record.js';
import type { TokenService } from './tokenService.js';

/** The model whose encoding is used where records name none. */
const USUAL_MODEL = 'gpt-4o';

/** The tokens of the messages of records, each of which must have one. Rejects as `TokenService.countMessages` does. */
export function countsOfRecords(
  service: TokenService,
  records: readonly ReadRecord[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const model = records.map(modelOf).find((name) => name !== undefined) ?? USUAL_MODEL;
  return service.countMessages(records.map(messageOfRecord), model, signal);
}

/** The message of a record that has one. */
function messageOfRecord(record: ReadRecord): ChatMessage {
  return (record as MessageRecord).message;
}

function modelOf(record: ReadRecord): string | undefined {
  const model = 'model' in record ? record.model : undefined;
  return record.type === 'message' && typeof model === 'string' ? model : undefined;
}

/** How many messages are counted at once. */
const BATCH = 200;

/** Records whose messages are counted as they are read, and a counter with the results. */
export interface CountedRecords {
  readonly records: AsyncIterable<ReadRecord>;
  readonly counter: TokenCounter;
}

/** How messages are counted. */
export interface CountingOptions {
  /** The tokens of the messages of records, each of which has one. */
  readonly countsOf: (records: readonly ReadRecord[]) => Promise<readonly number[]>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Counts messages while they are read; where that fails, which is logged, their counts stay unknown. */
export function countedRecords(records: AsyncIterable<ReadRecord>, options: CountingOptions): CountedRecords {
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
  return { records: pass(records, (batch) => countBatch(batch, counts, options)), counter };
}

async function* pass(
  records: AsyncIterable<ReadRecord>,
  count: (batch: readonly ReadRecord[]) => Promise<void>,
): AsyncGenerator<ReadRecord, void, undefined> {
  let batch: ReadRecord[] = [];
  // While one batch is counted on the thread, the previous one is used here and the next one is read.
  let before: ReadRecord[] = [];
  let counted = Promise.resolve();
  for await (const record of records) {
    batch.push(record);
    if (batch.length < BATCH) continue;
    await counted;
    counted = count(batch);
    yield* before;
    before = batch;
    batch = [];
  }
  await counted;
  counted = count(batch);
  yield* before;
  await counted;
  yield* batch;
}

async function countBatch(
  batch: readonly ReadRecord[],
  counts: WeakMap<object, number>,
  { countsOf, log, signal }: CountingOptions,
): Promise<void> {
  const records = batch.filter(({ type }) => type === 'message');
  try {
    const counted = await countsOf(records);
    records.forEach((record, index) => counts.set(messageOfRecord(record), counted[index] ?? 0));
  } catch (error) {
    if (!signal.aborted) log.warn(`Tokens could not be counted: ${messageOf(error)}`);
  }
}

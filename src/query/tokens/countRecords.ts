import type { ChatMessage } from '../../core/message.js';
import type { MessageRecord } from '../../core/record.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
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
export function messageOfRecord(record: ReadRecord): ChatMessage {
  return (record as MessageRecord).message;
}

function modelOf(record: ReadRecord): string | undefined {
  const model = 'model' in record ? record.model : undefined;
  return record.type === 'message' && typeof model === 'string' ? model : undefined;
}

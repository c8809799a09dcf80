import { failureWords, isFailedRecord } from '../analysis/failures.js';
import { envelopeOf } from './queryItem.js';

/** Whether an item is a failure, see `isFailedRecord`; a bare message never is. */
export function isFailed(item: unknown): boolean {
  const record = envelopeOf(item);
  return record !== undefined && isFailedRecord(record);
}

/** The reason that a record without a message gives for its failure; '' where it gives none. */
export function failureTextOf(item: unknown): string {
  const record = envelopeOf(item);
  return record === undefined ? '' : failureWords(record);
}

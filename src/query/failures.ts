import { isObject } from '../core/message.js';
import { envelopeOf } from './queryItem.js';

/** Outcomes of a call that count as failures; a person who cancelled did so on purpose. */
const BAD_ENDS: ReadonlySet<unknown> = new Set(['failed', 'limited']);

/**
 * Whether an item is a failure: a tool's error, an answer cut off by one, a refused dispatch or approval, or a call that
 * failed or reached a limit.
 */
export function isFailed(item: unknown): boolean {
  const record = envelopeOf(item);
  switch (record?.type) {
    case 'message':
      return record.isError === true || record.partial === 'error';
    case 'error':
      return true;
    case 'request':
      return isObject(record.error);
    case 'callEnd':
      return BAD_ENDS.has(record.outcome);
    case 'dispatch':
      return typeof record.refused === 'string';
    case 'approval':
      return record.decision === 'denied';
    default:
      return false;
  }
}

/** The reason that a record without a message gives for its failure; '' where it gives none. */
export function failureTextOf(item: unknown): string {
  const record = envelopeOf(item);
  const error = isObject(record?.error) ? record.error.message : undefined;
  const said = [error, record?.reason, record?.refused].filter((text) => typeof text === 'string');
  return said.join('\n');
}

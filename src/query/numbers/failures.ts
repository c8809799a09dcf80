import { isObject } from '../../core/message.js';
import { CALL_STATES, type CallState } from '../../core/record.js';
import { envelopeOf } from './transcriptItem.js';

/** Outcomes of a call that count as failures; a person who cancelled did so on purpose. */
const BAD_ENDS: ReadonlySet<unknown> = new Set(['failed', 'limited']);

/** Whether a call with this outcome has failed; a person who cancelled it did so on purpose. */
export function hasBadEnd(outcome: unknown): boolean {
  return BAD_ENDS.has(outcome);
}

/**
 * What every view calls an error: a tool's error, an answer that an error cut off, a request that failed, a refused
 * dispatch, a call that failed or reached a limit, and whatever else a record tells of as an error.
 * Of one message or tool call it is counted once, however many records tell of it: the failed end of a dispatched call and
 * the result of its dispatch are one. A failing model is one, too: its requests until it answers or is asked anew, the
 * message that broke off, the error and the end of its call. What a person stopped is no error, neither the call nor the
 * request or the tool call that ended with it, and what was denied is none: a tool call that is denied, cancelled or still
 * open has a state of its own, which is counted apart.
 */
export function isFailedRecord(record: Readonly<Record<string, unknown>>): boolean {
  switch (record.type) {
    case 'message':
      return isFailedMessage(record);
    case 'error':
      return !isStop(record.error);
    case 'request':
      return isObject(record.error) && !isStop(record.error);
    case 'callEnd':
      return hasBadEnd(record.outcome);
    case 'dispatch':
      return typeof record.refused === 'string';
    default:
      return false;
  }
}

/** Whether the record of a message tells of a failure, whatever it says of a call that was denied, stopped or goes on. */
export function isFailedMessage({ isError, partial, state }: Readonly<Record<string, unknown>>): boolean {
  if (state === 'denied' || state === 'cancelled' || state === 'open') return false;
  return (isError === true && partial !== 'cancelled') || partial === 'error';
}

/**
 * What the record of a tool's result says of its call: the state that it tells, else that it failed or was stopped; '' for a
 * call that came to its end, and for any other record.
 */
export function stateIn(record: Readonly<Record<string, unknown>>): CallState | '' {
  const told = CALL_STATES.find((state) => state === record.state);
  if (told) return told;
  if (record.isError !== true) return '';
  return record.partial === 'cancelled' ? 'cancelled' : 'failed';
}

/** Whether the error of a record is that somebody stopped the run. */
function isStop(error: unknown): boolean {
  return isObject(error) && error.code === 'cancelled';
}

/** The reason that a record without a message gives for its failure; '' where it gives none. */
export function failureWords(record: Readonly<Record<string, unknown>>): string {
  const error = isObject(record.error) ? record.error.message : undefined;
  const said = [error, record.reason, record.refused].filter((text) => typeof text === 'string');
  return said.join('\n');
}

/** Whether an item is a failure, see `isFailedRecord`; a bare message never is. */
export function isFailed(item: unknown): boolean {
  const record = envelopeOf(item);
  return record !== undefined && isFailedRecord(record);
}

/** The reason that an item without a message gives for its failure; '' where it gives none. */
export function failureTextOf(item: unknown): string {
  const record = envelopeOf(item);
  return record === undefined ? '' : failureWords(record);
}

import { isObject } from '../../core/message.js';
import type { UntypedMessage } from './transcriptItem.js';

/** What tools call the reason for which a model stopped. */
const NAMES = ['finishReason', 'finish_reason', 'stopReason', 'stop_reason'] as const;
/** Where it stands in what an imported record keeps of its file. */
const PLACES = ['message', 'payload', 'response', 'info', 'data'] as const;

/** Why a model stopped, as the first of some records says that says it; undefined where that is not recorded. */
export function finishReasonOf(...records: readonly (UntypedMessage | undefined)[]): string | undefined {
  for (const record of records) {
    const source = record?.source;
    const kept = isObject(source) ? source : {};
    for (const place of [record, kept, ...PLACES.map((name) => kept[name])]) {
      const told = isObject(place) ? NAMES.map((name) => place[name]) : [];
      const reason = told.find((each) => typeof each === 'string' && each !== '');
      if (typeof reason === 'string') return reason;
    }
  }
  return undefined;
}

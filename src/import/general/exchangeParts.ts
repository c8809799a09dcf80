import { isObject } from '../../core/message.js';
import { fields, number, text, time, without, type Fields } from '../reading/fields.js';
import type { Exchange } from './exchange.js';
import { NO_EXCHANGE } from './recordedExchanges.js';

/** What the two lines of an exchange have in common that is written in parts: its request at once, its answer at its end. */
export function partOf(value: unknown): string | undefined {
  if (!isObject(value) || !('response' in value)) return undefined;
  const { exchange, startTime, endTime } = value;
  return typeof exchange === 'string' && (startTime !== undefined || endTime !== undefined)
    ? exchange
    : undefined;
}

/** What a part of an exchange says was not recorded of it, for a report; undefined for nothing. */
export function leftOutOf(part: string, value: unknown): string | undefined {
  const leftOut = text(fields(value).leftOut);
  return leftOut === undefined ? undefined : `Exchange ${part} was not recorded whole. ${leftOut}`;
}

/** The second part of an exchange. */
export function answerIn(value: Fields): Exchange {
  const { response, status, endTime } = value;
  const rest = without(value, 'response', 'exchange');
  return { ...NO_EXCHANGE, response, end: time(endTime), status: number(status), rest };
}

/** An exchange of its two parts. */
export function answered(first: Exchange, { response, end, status, rest }: Exchange): Exchange {
  return { ...first, response, end, status, rest: { ...first.rest, ...rest } };
}

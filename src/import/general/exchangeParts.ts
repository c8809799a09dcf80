import { isObject } from '../../core/message.js';
import { fields, number, text, time, without, type Fields } from '../reading/fields.js';
import { cutObject } from '../reading/serverEvents.js';
import { LAST_WORDS, type LastWords } from './answerPieces.js';
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

/** The exchange that a line tells a piece of the answer of, see `AnswerPiece`; undefined for any other line. */
export function pieceOf(value: unknown): { readonly part: string; readonly piece: Fields } | undefined {
  const { exchange, piece } = fields(value);
  return typeof exchange === 'string' && isObject(piece) ? { part: exchange, piece } : undefined;
}

/** The part of an exchange that a line is the beginning of; undefined for any other line. */
export function begunPart(raw: string): unknown {
  const value = cutObject(raw)?.event;
  if (pieceOf(value)) return value;
  return partOf(value) === undefined || fields(value).request !== undefined ? undefined : value;
}

/** The second part of an exchange whose answer did not end before its recording did. */
export function brokenOff(words: LastWords): Exchange {
  return { ...NO_EXCHANGE, response: words.answer, rest: { failure: LAST_WORDS } };
}

/** What a part of an exchange says was not recorded of it, for a report; undefined for nothing. */
export function leftOutOf(part: string, value: unknown): string | undefined {
  const leftOut = text(fields(value).leftOut);
  return leftOut === undefined ? undefined : `Exchange ${part} was not recorded whole. ${leftOut}`;
}

/** The second part of an exchange; what was not kept of its answer is told by its pieces, as far as they tell it. */
export function answerIn(value: Fields, words?: LastWords): Exchange {
  const { status, endTime } = value;
  const response = value.response ?? words?.answer ?? null;
  const rest = without(value, 'response', 'exchange');
  return { ...NO_EXCHANGE, response, end: time(endTime), status: number(status), rest };
}

/** An exchange of its two parts. */
export function answered(first: Exchange, { response, end, status, rest }: Exchange): Exchange {
  return { ...first, response, end, status, rest: { ...first.rest, ...rest } };
}

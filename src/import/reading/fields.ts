import { MAX_NESTING, nestsDeeper } from './nesting.js';
import { isObject } from '../../core/message.js';
import { jsonValue } from './jsonText.js';

/** An object in another tool's format. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty one. */
export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The value if it is an array, else an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in an array; empty for any other value. */
export function objects(value: unknown): Fields[] {
  return list(value).filter(isObject);
}

/** The value if it is a non-empty string. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is a finite number. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An ISO text that names no zone. */
const WITHOUT_ZONE = /^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s*$/;

/** A time in milliseconds since 1970, from an ISO text or a number of seconds, milli-, micro- or nanoseconds. */
export function time(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+(?:\.\d+)?$/.test(value)) {
    // Without a zone it is taken for one of UTC: else each machine would read another time.
    const [, day, clock] = WITHOUT_ZONE.exec(value) ?? [];
    return validTime(Date.parse(day === undefined ? value : `${day}T${clock?.replace(',', '.') ?? ''}Z`));
  }
  let number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (number > 0 && number < 1e11) number *= 1000;
  // Nanoseconds of no year that a date can have are none, and Infinity would never become less.
  if (number > 1e22) return undefined;
  while (number > 1e14) number /= 1000;
  return validTime(Math.round(number));
}

/** The milliseconds between two moments; undefined where they are one stamp or run backwards, which tells no duration. */
export function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined || to <= from ? undefined : to - from;
}

/** When something happened, under any of the names under which tools write it; 0 and nonsense are no time. */
export function timeIn(value: unknown): number | undefined {
  const said = fields(value);
  const candidates = [said.timestamp, said.created_at, said.createdAt, said.create_time, said.ts, said.time];
  const extra = fields(said.extra);
  const times = [...candidates, extra.timestamp, extra.created_at].map((each) => time(each));
  return times.find((each) => each !== undefined);
}

function validTime(milliseconds: number): number | undefined {
  return milliseconds > 0 && milliseconds <= 8.64e15 ? milliseconds : undefined;
}

/** A copy of an object without some of its keys. */
export function without(object: Fields, ...keys: readonly string[]): Fields {
  return withoutKeys(object, keys);
}

/** The same for a list of keys. */
export function withoutKeys(object: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** A value as JSON on one line; a string stays as it is, null and undefined become ''. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The value that a JSON text contains, however often it was quoted; a text that is no JSON is itself. */
export function unquoted(value: unknown): unknown {
  const inside = parsed(value);
  const isQuotedAgain =
    typeof inside === 'string' && inside !== value && /^\s*["[{][^]*["\]}]\s*$/.test(inside);
  return isQuotedAgain ? unquoted(inside) : inside;
}

/**
 * The value that a JSON text contains, or the given value itself where it is not such a text, or one that nests too deep for all that
 * goes through values.
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || (value.length > 2 * MAX_NESTING && nestsDeeper(value))) return value;
  try {
    return jsonValue(value);
  } catch {
    // This is for fields that are sometimes JSON and sometimes plain text.
    return value;
  }
}

import { isObject } from '../../core/message.js';

/** An object of somebody else's format. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value as an object, one without keys where it is none. */
export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A value as a list, an empty one where it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function objects(value: unknown): Fields[] {
  return list(value).filter(isObject);
}

/** A value if it is a text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value if it is a finite number. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A point in time as milliseconds since 1970: from an ISO text, or a number of seconds, milliseconds, micro- or nanoseconds. */
export function time(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return validTime(Date.parse(value));
  let number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (number > 0 && number < 1e11) number *= 1000;
  while (number > 1e14) number /= 1000;
  return validTime(Math.round(number));
}

function validTime(milliseconds: number): number | undefined {
  return milliseconds > 0 && milliseconds <= 8.64e15 ? milliseconds : undefined;
}

/** An object without some of its keys. */
export function without(object: Fields, ...keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** A value as a JSON text on one line; a text stays what it is, nothing is ''. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The JSON that a text holds, or the value itself where it is no text or no JSON. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // Fields that are sometimes JSON and sometimes plain text are what this is for.
    return value;
  }
}

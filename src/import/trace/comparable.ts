import { isObject } from '../../core/message.js';
import { parsed } from '../reading/fields.js';

/** A value as text by which two instrumentations' copies of it are compared: JSON in strings is parsed, keys sorted. */
export function comparable(value: unknown): string {
  return JSON.stringify(sorted(parsed(value)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(parsed(each))] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

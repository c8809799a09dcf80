import { isObject } from '../core/message.js';

/** No arguments worth comparing are deeper; what is deeper is compared as it was written. */
const MAX_DEPTH = 64;

/** A JSON text that is the same for all texts of the same value: keys sorted, no spaces. Other text stays. */
export function canonicalJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(sorted(value, 0));
  } catch {
    // Unreadable or too deep: equal texts are still equal.
    return text;
  }
}

function sorted(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RangeError('too deep');
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, depth + 1)]));
}

import { isObject } from '../../../core/message.js';

/** No message that is read is nested deeper; what may still come deeper is shared. */
const MAX_DEPTH = 200;

/** A copy of plain data that nobody else can change: objects and lists anew, texts shared, so that it costs little. */
export function copyOf<T>(value: T): T {
  return copyAt(value, 0) as T;
}

function copyAt(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyAt(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyAt(inner, depth + 1)]));
}

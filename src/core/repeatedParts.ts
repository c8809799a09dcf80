import { isObject } from './message.js';

/** What a recorded request does not write out, because a request before it in the same recording sent the same. */
export interface RepeatedParts {
  /** The name of that request in the recording. */
  readonly exchange: string;
  /** The fields that are the same. */
  readonly fields: readonly string[];
  /** Of fields that are lists, how many entries at their beginning are the same. */
  readonly entries: Readonly<Record<string, number>>;
}

/** What a line says of repeated parts; undefined where it is nothing of that kind. */
export function repeatedPartsOf(value: unknown): RepeatedParts | undefined {
  if (!isObject(value)) return undefined;
  const { exchange, fields, entries } = value;
  const isNamed = typeof exchange === 'string' && Array.isArray(fields) && isObject(entries);
  if (!isNamed || !Object.values(entries).every((count) => Number.isSafeInteger(count))) return undefined;
  return {
    exchange,
    fields: (fields as unknown[]).filter((name) => typeof name === 'string'),
    entries: entries as Readonly<Record<string, number>>,
  };
}

/**
 * A request with the parts that it repeats of `before`, which are shared, not copied; undefined where `before` does not
 * have all of them.
 */
export function withRepeatedParts(
  request: Readonly<Record<string, unknown>>,
  { fields, entries }: RepeatedParts,
  before: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const whole = new Map<string, unknown>();
  for (const name of fields) {
    if (!Object.hasOwn(before, name)) return undefined;
    whole.set(name, before[name]);
  }
  for (const [name, value] of Object.entries(request)) whole.set(name, value);
  for (const [name, count] of Object.entries(entries)) {
    const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
    const added = whole.get(name);
    if (!Array.isArray(earlier) || !Array.isArray(added) || count < 0 || count > earlier.length)
      return undefined;
    whole.set(name, [...(earlier as unknown[]).slice(0, count), ...(added as unknown[])]);
  }
  return Object.fromEntries(whole);
}

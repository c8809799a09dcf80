import { firstCodePoints } from '../../core/text.js';

/** The value if it is a number that can be counted with: finite and not negative; else undefined. */
export function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A moment in milliseconds since 1970; undefined where a record has 0 or no usable number, which means unknown. */
export function knownTime(time: unknown): number | undefined {
  const known = numberOr(time);
  return known === 0 ? undefined : known;
}

/** The value if it is a string, else `otherwise`. */
export function textOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** How much of a name is shown, in code points; a hostile transcript may have any. */
const MAX_NAME = 200;

/** A name as views show it and group by it. */
export function clipName(name: unknown): string {
  return firstCodePoints(textOr(name), MAX_NAME);
}

import { isLikely } from './notations.js';
import { isPlaceholder } from './placeholders.js';
import { isRedacted } from './redacted.js';
import { isSecretName } from './secretNames.js';

/** Names of what is counted or read word by word as often as it is secret. */
const COUNTED = /(?:token|credential)s?$/i;
/** Fewer digits are a flag or a count. */
const MIN_DIGITS = 6;
/** A name as environments have them. */
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** Whether a number is a secret, because of what its field is called. */
export function isSecretNumber(name: string, value: unknown): value is number {
  return (
    typeof value === 'number' && `${value}`.length >= MIN_DIGITS && !COUNTED.test(name) && isSecretName(name)
  );
}

/** Whether a text is a secret that stands in a list, or as `value` in an object, of a field of this name. */
export function isSecretWithin(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || !isLikely(value, 6) || isRedacted(value) || isPlaceholder(value))
    return false;
  return !COUNTED.test(name) && isSecretName(name.replace(/s$/i, ''));
}

/** Whether the `value` of an object is a secret, because of its `name`, as in lists of an environment. */
export function isNamedEntry({ name, key, Name, value, Value }: Readonly<Record<string, unknown>>): boolean {
  const own = value ?? Value;
  const called = name ?? key ?? Name;
  if (typeof own !== 'string' || typeof called !== 'string' || !isSecretName(called)) return false;
  if (isRedacted(own) || isPlaceholder(own) || own.length < MIN_DIGITS) return false;
  return isLikely(own, 6) || (VARIABLE.test(called) && !/\s/.test(own));
}

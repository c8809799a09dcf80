import { t } from '../src/core/l10n.js';

/** Created once, because looking up a locale is slow. */
const COUNTS = new Intl.NumberFormat('en-US');

/** A number with separators, as `12,405`. */
export function formatCount(value: number): string {
  return COUNTS.format(Math.round(value));
}

/** A size, as `812 bytes` or `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return t`${bytes} bytes`;
  if (bytes < 999_500) return `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} KB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`;
}

/** The time of day, as `14:03:22`; `–` for an invalid time. */
export function formatTime(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '–';
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Day and time of day to the minute, as `2026-11-21 14:03`. */
export function formatDate(time: number): string {
  return formatMoment(time).replace(/:\d\d\.\d+$/, '');
}

/** Day and time of day to the millisecond, for a tooltip. */
export function formatMoment(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return t`at no known time`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${formatTime(time)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** A noun with its number, as `1 message` or `12 messages`. */
export function formatNoun(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

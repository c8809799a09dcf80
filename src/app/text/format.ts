import { t } from '../../core/l10n.js';
import { shortNumber } from '../../core/shortNumber.js';

const numbers = onFirstUse(() => new Intl.NumberFormat('en'));
const dates = onFirstUse(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
);

const months = onFirstUse(() => new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' }));

const shortDates = onFirstUse(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }));
const shortDatesOfYears = onFirstUse(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
);

/** Creates an Intl format lazily, because each takes several milliseconds, which would delay VS Code's startup. */
function onFirstUse<Format>(make: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= make());
}

/** `1 message`, `12,405 messages`. */
export function formatCount(count: number, noun: string): string {
  return `${numbers().format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2k tokens`, `1 token`, with `≈` where they were estimated; '' where there are none. */
export function formatTokens(tokens: number, estimated: boolean): string {
  if (tokens === 0) return '';
  const about = estimated ? '≈ ' : '';
  return tokens === 1 ? t`${about}1 token` : t`${about}${shortNumber(tokens)} tokens`;
}

/** `512 bytes`, `3.4 KB`, `1.2 MB`; a KB has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, 'byte');
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, 'KB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${size.toFixed(1)} ${unit}`;
}

/** `14:05`, in the user's time zone; '' for an invalid time. */
export function formatTime(time: number): string {
  return isTime(time) ? clockOf(new Date(time)) : '';
}

/** `14:05` for a time of today, `19 Nov, 14:05` for one of this year, else `19 Nov 2025`; '' for an invalid time. */
export function formatShortMoment(time: number, now: number): string {
  if (!isTime(time)) return '';
  const [date, today] = [new Date(time), new Date(now)];
  const day = dayKey(date);
  if (day === dayKey(today)) return clockOf(date);
  if (date.getFullYear() !== today.getFullYear()) return shortDatesOfYears().format(date);
  if (lastShort?.day !== day) lastShort = { day, text: shortDates().format(date) };
  return `${lastShort.text}, ${clockOf(date)}`;
}

/** The last day that was named: of many moments one after the other most are of the same. */
let lastShort: { readonly day: number; readonly text: string } | undefined;

/** `Sat, 21 November 2026, 14:05`, in the user's time zone; '' for an invalid time. */
export function formatMoment(time: number): string {
  return isTime(time) ? `${dates().format(time)}, ${clockOf(new Date(time))}` : '';
}

/** Whether a time from a journal, which is untrusted, is a valid date. */
function isTime(time: number): boolean {
  return time > 0 && !Number.isNaN(new Date(time).getTime());
}

/** `Today`, `Yesterday`, the date, or `No date`, relative to `now` in the user's time zone. */
export function formatDay(time: number, now: number): string {
  return dayNames(now)(time);
}

/** Names days as `formatDay` does, but caches: many times of the same day cost little more than one. */
export function dayNames(now: number): (time: number) => string {
  const today = new Date(now);
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  const names = new Map([
    [dayKey(yesterday), t`Yesterday`],
    [dayKey(today), t`Today`],
  ]);
  return (time) => {
    if (!isTime(time)) return t`No date`;
    const key = dayKey(new Date(time));
    const name = names.get(key) ?? dates().format(time);
    names.set(key, name);
    return name;
  };
}

/** Names the period of a time: `Today`, `Yesterday`, `This Week` (from Monday on), a month, or `No date`. */
export function periodNames(now: number): (time: number) => string {
  const today = new Date(now);
  const day = (daysAgo: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo).getTime();
  const [tomorrow, yesterday, monday] = [day(-1), day(1), day((today.getDay() + 6) % 7)];
  const nameOfDay = dayNames(now);
  const names = new Map<number, string>();
  return (time) => {
    if (!isTime(time)) return t`No date`;
    if (time >= tomorrow) return monthOf(time, names);
    if (time >= yesterday) return nameOfDay(time);
    return time >= monday ? t`This Week` : monthOf(time, names);
  };
}

function monthOf(time: number, names: Map<number, string>): string {
  const date = new Date(time);
  const key = date.getFullYear() * 12 + date.getMonth();
  const name = names.get(key) ?? months().format(date);
  names.set(key, name);
  return name;
}

/** As `Intl` writes it for `en-GB`, which takes much longer: lists have thousands of them. */
function clockOf(date: Date): string {
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function dayKey(date: Date): number {
  return (date.getFullYear() * 12 + date.getMonth()) * 31 + date.getDate();
}

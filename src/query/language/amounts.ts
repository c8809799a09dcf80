import { dollars } from '../../core/money.js';

/** One millisecond for each unit of a duration. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** A count as it is written, such as `1000`, `1_000`, `10k` or `1.5M`; undefined for anything else. */
export function readCount(text: string): number | undefined {
  const found = /^(\d+(?:_\d+)*(?:\.\d+)?)([kKmM]?)$/.exec(text);
  if (!found) return undefined;
  const [, digits = '', suffix = ''] = found;
  const factor = suffix === '' ? 1 : suffix.toLowerCase() === 'k' ? 1_000 : 1_000_000;
  const count = Number(digits.replaceAll('_', '')) * factor;
  // 1.1k is 1100, and not what floating point makes of it.
  if (count <= Number.MAX_SAFE_INTEGER) return Number(count.toFixed(6));
  return Number.isFinite(count) ? count : undefined;
}

/** Whether a text is a number as programs write one, such as `-12`, `0.5` or `1e21`. */
export function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
}

/** A number as it is written of an argument: a count, or one below zero; undefined for anything else. */
export function readNumber(text: string): number | undefined {
  if (!text.startsWith('-')) return readCount(text);
  const count = readCount(text.slice(1));
  return count === undefined ? undefined : -count;
}

/** An amount of dollars such as `0.10`, `$2` or `1_000`, in whole nano-dollars; undefined for anything else. */
export function readMoney(text: string): number | undefined {
  const [, amount] = /^\$?(\d+(?:_\d+)*(?:\.\d+)?)$/.exec(text) ?? [];
  return amount === undefined ? undefined : dollars(Number(amount.replaceAll('_', '')));
}

/** A duration such as `500ms`, `30s`, `1h30m` or `7d`, in milliseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/i.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/gi))
    sum += Number(amount) * (UNITS.get((unit ?? '').toLowerCase()) ?? 0);
  return Number.isFinite(sum) ? sum : undefined;
}

/** When a question is asked, and where: what its dates refer to. */
export interface QueryClock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The name of a time zone, such as `Europe/Berlin` or `UTC`. */
  readonly timeZone: string;
}

/** A date as it is written: some time ago, or a moment that a calendar names. */
export type WrittenDate =
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'today' | 'yesterday' }
  /** Wall-clock time, as UTC would have it; `offset` in minutes where the text names one. */
  | { readonly kind: 'moment'; readonly wall: number; readonly offset: number | undefined };

const DATE =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?$/i;

/**
 * A date such as `7d` (seven times 24 hours ago), `today`, `yesterday`, `2026-11`, `2026-11-01` or
 * `2026-11-01T10:30`, with `Z` or an offset where it is not of the person's time zone; undefined for anything else.
 */
export function readDate(text: string): WrittenDate | undefined {
  const lower = text.toLowerCase();
  if (lower === 'today' || lower === 'yesterday') return { kind: lower };
  const ms = readDuration(text);
  if (ms !== undefined) return ms <= Number.MAX_SAFE_INTEGER ? { kind: 'ago', ms } : undefined;
  const found = DATE.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((at) => found[at]);
  const millis = Number((found[7] ?? '').padEnd(3, '0'));
  const parts = [Number(year), Number(month), Number(day ?? 1)] as const;
  const wall = utc(...parts) + Number(hour ?? 0) * 3_600_000 + Number(minute ?? 0) * 60_000;
  const isReal =
    new Date(utc(...parts)).getUTCDate() === parts[2] &&
    parts[1] >= 1 &&
    parts[1] <= 12 &&
    Number(hour ?? 0) < 24 &&
    Number(minute ?? 0) < 60 &&
    Number(second ?? 0) < 60;
  if (!isReal) return undefined;
  return { kind: 'moment', wall: wall + Number(second ?? 0) * 1_000 + millis, offset: offsetIn(found[8]) };
}

/** Like Date.UTC, but for the years 0 to 99 too. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

function offsetIn(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined;
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** The moment that a date means, in milliseconds since 1970: of a day or a month, when it begins in the time zone. */
export function momentOf(date: WrittenDate, { now, timeZone }: QueryClock): number {
  if (date.kind === 'ago') return now - date.ms;
  if (date.kind === 'moment')
    return date.offset === undefined ? momentIn(date.wall, timeZone) : date.wall - date.offset * 60_000;
  const wall = wallTime(now, timeZone);
  const midnight = Math.floor(wall / 86_400_000) * 86_400_000;
  return momentIn(date.kind === 'today' ? midnight : midnight - 86_400_000, timeZone);
}

/** The day on which a moment falls in a time zone, such as `2026-11-01`, as `readDate` takes it. */
export function dayOf(moment: number, timeZone: string): string {
  return new Date(wallTime(moment, timeZone)).toISOString().slice(0, 10);
}

/** The stretches of time that sums are told by: days, weeks that begin on Monday, and months. */
export const STRETCHES = ['day', 'week', 'month'] as const;
export type Stretch = (typeof STRETCHES)[number];

/** The name of the stretch that a day is in: the day, the first one of the week, or the month. */
export function stretchOfDay(day: string, stretch: Stretch): string {
  if (stretch === 'week') return mondayOf(day);
  return stretch === 'month' ? day.slice(0, 7) : day;
}

function mondayOf(day: string): string {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const behind = (new Date(noon).getUTCDay() + 6) % 7;
  return new Date(noon - behind * 86_400_000).toISOString().slice(0, 10);
}

/** The day after another. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** Whether a name is that of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError: there is no such zone.
    return false;
  }
}

/** A moment as the clocks on the wall have it, in milliseconds since 1970 as if they showed UTC. */
function wallTime(moment: number, timeZone: string): number {
  const whole = Math.floor(moment / 1_000) * 1_000;
  const parts = formatFor(timeZone).formatToParts(whole);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const seconds = of('hour') * 3_600 + of('minute') * 60 + of('second');
  return utc(of('year'), of('month'), of('day')) + seconds * 1_000 + (moment - whole);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}

/**
 * The first moment at which the clocks show a time. Where they skip it, the moment at which they do: the first that
 * shows anything later.
 */
function momentIn(wall: number, timeZone: string): number {
  const day = 86_400_000;
  const offsets = [wall - day, wall + day].map((near) => wallTime(near, timeZone) - near);
  const fitting = offsets
    .map((offset) => wall - offset)
    .filter((moment) => wallTime(moment, timeZone) === wall);
  if (fitting.length > 0) return Math.min(...(fitting as [number]));
  let [before, after] = [wall - day, wall + day];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTime(middle, timeZone) >= wall) after = middle;
    else before = middle;
  }
  return after;
}

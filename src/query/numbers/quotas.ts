import { isObject } from '../../core/message.js';
import { clipName, numberOr, textOr } from './values.js';

/** How much of a limit was used, as the tool last wrote it down. */
export interface QuotaReading {
  /** What the limit is called, such as `codex`. */
  readonly limit: string;
  /** Over how long it counts: limits of one name are told apart by that. */
  readonly minutes: number;
  readonly usedPercent: number;
  /** When it was written, and when the window ends; in milliseconds since 1970, 0 where that is not said. */
  readonly at: number;
  readonly resetsAt: number;
}

/** Limits are few; a hostile file may name any number. */
const MAX_LIMITS = 20;

/** What importers keep of a tool's lines that tell how much of its limits is used. */
const KINDS: ReadonlySet<unknown> = new Set([
  'event_msg/token_count',
  'msg/token_count',
  'account/rateLimits/updated',
  'account/rate_limits/updated',
]);

/** The newest reading of each limit that records tell of, in the order of their names and minutes. */
export class Quotas {
  readonly #newest = new Map<string, QuotaReading>();

  /** Adds a record. */
  add(record: unknown): void {
    if (!isObject(record) || record.type !== 'imported' || !KINDS.has(record.kind)) return;
    const told = toldIn(record.value, 3);
    if (!told) return;
    const limit = clipName(textOr(told.limit_id ?? told.limitId)) || 'codex';
    const at = numberOr(record.time) ?? 0;
    for (const window of [told.primary, told.secondary]) {
      const reading = isObject(window) ? readingIn(window, limit, at) : undefined;
      if (reading) this.take(reading);
    }
  }

  /** Takes a reading where there is none that is newer. */
  take(reading: QuotaReading): void {
    const key = `${reading.minutes} ${reading.limit}`;
    const known = this.#newest.get(key);
    if (known ? known.at <= reading.at : this.#newest.size < MAX_LIMITS) this.#newest.set(key, reading);
  }

  get list(): readonly QuotaReading[] {
    return [...this.#newest.values()].sort(
      (a, b) => (a.limit < b.limit ? -1 : a.limit > b.limit ? 1 : 0) || a.minutes - b.minutes,
    );
  }
}

/** Whether a value from a file is a list of readings. */
export function areQuotas(value: unknown): value is readonly QuotaReading[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_LIMITS &&
    value.every(
      (each) =>
        isObject(each) &&
        typeof each.limit === 'string' &&
        [each.minutes, each.usedPercent, each.at, each.resetsAt].every((number) => Number.isFinite(number)),
    )
  );
}

/** The name of a window: its hours or days where it is whole ones, else its minutes. */
export function windowWords(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

function toldIn(value: unknown, depth: number): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value) || depth === 0) return undefined;
  const told = value.rate_limits ?? value.rateLimits;
  if (isObject(told)) return told;
  for (const key of ['payload', 'params', 'msg']) {
    const found = toldIn(value[key], depth - 1);
    if (found) return found;
  }
  return undefined;
}

function readingIn(
  window: Readonly<Record<string, unknown>>,
  limit: string,
  at: number,
): QuotaReading | undefined {
  const used = numberOr(window.used_percent ?? window.usedPercent);
  const minutes = numberOr(window.window_minutes ?? window.windowDurationMins);
  if (used === undefined || minutes === undefined || minutes <= 0 || !Number.isSafeInteger(minutes))
    return undefined;
  const inSeconds = numberOr(window.resets_in_seconds);
  const ends = numberOr(window.resets_at ?? window.resetsAt);
  const after = inSeconds !== undefined && at > 0 ? at + inSeconds * 1_000 : 0;
  const resetsAt = ends === undefined ? after : ends * 1_000;
  return { limit, minutes, usedPercent: used, at, resetsAt: Math.abs(resetsAt) <= 8.64e15 ? resetsAt : 0 };
}

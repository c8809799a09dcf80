import { isObject } from '../../core/message.js';
import { clipName, knownTime, numberOr, textOr } from './values.js';

/** How much of a limit was used, as the tool last wrote it down. */
export interface QuotaReading {
  /** What the limit is called, such as `codex`. */
  readonly limit: string;
  /** Over how long it counts: limits of one name are told apart by that; 0 where that is not said. */
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
  'rate_limit_event',
  'assistant.usage',
  'model.model_call_success',
]);

/** The windows of Claude Code's limits, by the beginnings of their names. */
const CLAUDE_WINDOWS: ReadonlyMap<string, number> = new Map([
  ['five_hour', 300],
  ['seven_day', 10_080],
]);

/** The newest reading of each limit that records tell of, in the order of their names and minutes. */
export class Quotas {
  readonly #newest = new Map<string, QuotaReading>();
  /** When the last record was made that tells it. */
  #last = 0;

  /** Adds a record; to be given in their order, as some lines have no time of their own. */
  add(record: unknown): void {
    if (!isObject(record)) return;
    const at = knownTime(record.time) ?? this.#last;
    this.#last = at;
    if (record.type !== 'imported' || !KINDS.has(record.kind)) return;
    for (const reading of readingsIn(record.value, at)) this.take(reading);
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

/** The name of a limit, with its window where that is said. */
export function limitWords({ limit, minutes }: Pick<QuotaReading, 'limit' | 'minutes'>): string {
  return minutes === 0 ? limit : `${limit}, ${windowWords(minutes)}`;
}

/** What a line tells: of Codex by its two windows, of Claude Code by their names, of Copilot CLI by what each is a limit of. */
function readingsIn(value: unknown, at: number): readonly QuotaReading[] {
  if (!isObject(value)) return [];
  const { rate_limit_info: info, data } = value;
  if (isObject(info)) return ofClaude(info, at);
  if (isObject(data) && isObject(data.quotaSnapshots)) return ofCopilot(data.quotaSnapshots, at);
  return ofCodex(toldIn(value, 3), at);
}

function ofCodex(told: Readonly<Record<string, unknown>> | undefined, at: number): readonly QuotaReading[] {
  const limit = clipName(textOr(told?.limit_id ?? told?.limitId)) || 'codex';
  return [told?.primary, told?.secondary].flatMap((window) =>
    isObject(window) ? (readingIn(window, limit, at) ?? []) : [],
  );
}

/** Older versions tell of the one window that is about to be full. */
function ofClaude(info: Readonly<Record<string, unknown>>, at: number): readonly QuotaReading[] {
  const { unifiedWindows: windows, rateLimitType } = info;
  const all = isObject(windows) ? Object.entries(windows) : [[textOr(rateLimitType), info] as const];
  return all.flatMap(([name, window]) => {
    const found = [...CLAUDE_WINDOWS].find(([begins]) => name === begins || name.startsWith(`${begins}_`));
    const used = isObject(window) ? numberOr(window.utilization) : undefined;
    if (!found || used === undefined || !isObject(window)) return [];
    const [begins, minutes] = found;
    const of = clipName(name.slice(begins.length + 1).replaceAll('_', ' '));
    const limit = of === '' ? 'claude' : `claude ${of}`;
    return [{ limit, minutes, usedPercent: percent(used), at, resetsAt: momentIn(window.resetsAt) }];
  });
}

function ofCopilot(snapshots: Readonly<Record<string, unknown>>, at: number): readonly QuotaReading[] {
  return Object.entries(snapshots).flatMap(([name, told]) => {
    if (!isObject(told) || told.isUnlimitedEntitlement === true) return [];
    const [all, used] = [numberOr(told.entitlementRequests), numberOr(told.usedRequests)];
    if (all === undefined || used === undefined || all <= 0) return [];
    const resetsAt = momentIn(Date.parse(textOr(told.resetDate)) / 1_000);
    const limit = `copilot ${clipName(name.replaceAll('_', ' '))}`;
    return [{ limit, minutes: 0, usedPercent: percent(used / all), at, resetsAt }];
  });
}

/** A share as a percentage, without what dividing adds. */
function percent(share: number): number {
  return Math.round(share * 1e4) / 100;
}

/** A moment in seconds since 1970; 0 where it is none. */
function momentIn(seconds: unknown): number {
  const moment = Math.round((numberOr(seconds) ?? 0) * 1_000);
  return moment <= 8.64e15 ? moment : 0;
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
  const after = inSeconds !== undefined && at > 0 ? momentIn(at / 1_000 + inSeconds) : 0;
  return { limit, minutes, usedPercent: used, at, resetsAt: ends === undefined ? after : momentIn(ends) };
}

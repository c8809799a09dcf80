import { knownTime, numberOr } from './values.js';

/** What is known of how long a tool call took. */
export interface ToolTiming {
  /** What the result says of itself, in milliseconds. */
  readonly durationMs: unknown;
  /** When the call was made and when its result came, in milliseconds since 1970. */
  readonly calledAt: unknown;
  readonly answeredAt: unknown;
  /** How long a person was waited for in between, in milliseconds. */
  readonly waitedMs: unknown;
}

/**
 * What every view calls the duration of a tool call, in milliseconds: what its result says, else the time between call
 * and result; without the time for which a person was waited for, which says nothing about the tool. Undefined where it
 * is unknown, as it is between clocks that run backwards.
 */
export function toolDuration({ durationMs, calledAt, answeredAt, waitedMs }: ToolTiming): number | undefined {
  const whole = numberOr(durationMs) ?? between(calledAt, answeredAt);
  return whole === undefined ? undefined : Math.max(0, whole - (numberOr(waitedMs) ?? 0));
}

/** The time between two moments, in milliseconds; undefined where one of them is unknown or the clock ran backwards. */
export function between(start: unknown, end: unknown): number | undefined {
  const [from, to] = [knownTime(start), knownTime(end)];
  return from === undefined || to === undefined ? undefined : numberOr(to - from);
}

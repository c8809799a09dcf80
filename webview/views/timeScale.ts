import type { TimelineSpan } from '../../src/page/protocol/analysis.js';

/** The part of the time axis that is looked at, in milliseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The shortest window, in milliseconds. */
const SHORTEST = 20;

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
];

/** Where a time stands, in pixels from the left. */
export function toPixels(time: number, { from, to }: TimeWindow, width: number): number {
  return ((time - from) / Math.max(to - from, 1)) * width;
}

/** How far apart the marks of an axis are, in milliseconds, where there is to be about one every `gap` pixels. */
export function tickStep(length: number, width: number, gap: number): number {
  const wanted = (length / Math.max(width, 1)) * gap;
  return STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / 86_400_000) * 86_400_000;
}

/** The window made larger or smaller around a time, never outside of the whole. */
export function zoomed(view: TimeWindow, whole: TimeWindow, factor: number, around: number): TimeWindow {
  const length = Math.min(
    Math.max((view.to - view.from) * factor, SHORTEST),
    Math.max(whole.to - whole.from, SHORTEST),
  );
  const part = (around - view.from) / Math.max(view.to - view.from, 1);
  return inside(around - part * length, length, whole);
}

/** The window moved by a part of its own length, never outside of the whole. */
export function panned(view: TimeWindow, whole: TimeWindow, part: number): TimeWindow {
  const length = view.to - view.from;
  return inside(view.from + part * length, length, whole);
}

function inside(from: number, length: number, whole: TimeWindow): TimeWindow {
  const start = Math.max(whole.from, Math.min(from, whole.to - length));
  return { from: start, to: start + length };
}

/** What tells spans apart, however they are drawn. */
type Named = Pick<TimelineSpan, 'kind' | 'state' | 'lane' | 'row' | 'start' | 'position'>;

/**
 * The span that stands for one of an earlier drawing: the same one, or the one that it was merged into. Undefined
 * where none does, as outside of the part that is drawn.
 */
export function spanOf(
  spans: readonly TimelineSpan[],
  { kind, position, ...was }: Named,
): TimelineSpan | undefined {
  const same = spans.find((span) => span.kind === kind && span.position === position);
  return (
    same ??
    spans.find(
      (span) =>
        span.merged > 1 &&
        span.kind === kind &&
        span.state === was.state &&
        span.lane === was.lane &&
        span.row === was.row &&
        span.start <= was.start &&
        was.start <= span.end,
    )
  );
}

/** The next or the previous span in time, from one that may not be drawn any more; the first or the last from none. */
export function spanBeside(
  spans: readonly TimelineSpan[],
  from: TimelineSpan | undefined,
  by: 1 | -1,
): TimelineSpan | undefined {
  const inTime = spans.toSorted((a, b) => a.start - b.start);
  if (!from) return by > 0 ? inTime[0] : inTime.at(-1);
  const drawn = spanOf(inTime, from);
  if (drawn) return inTime[inTime.indexOf(drawn) + by] ?? drawn;
  return by > 0
    ? inTime.find(({ start }) => start > from.start)
    : inTime.findLast(({ start }) => start < from.start);
}

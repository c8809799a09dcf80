import type { TimelineSpan } from '../../src/page/protocol/analysis.js';

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

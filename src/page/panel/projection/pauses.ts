import type { TimelinePause } from '../../protocol/analysis.js';
import type { CallNode } from '../../../query/numbers/callTree.js';
import type { Turns } from '../../../query/numbers/turns.js';

/** Shorter than this, in milliseconds, nothing is a pause. */
const SHORTEST = 10_000;
/** What is longer than this part of all work together is drawn shorter: it would crowd the work itself. */
const LONG = 1 / 4;
/** How long a pause is drawn, as a part of all work together; all pauses together take no more than half of it. */
const DRAWN = 1 / 12;

/** A stretch of time in which somebody worked, in milliseconds since 1970. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The long pauses of a transcript, in which no turn and no call went on. */
export function pausesOf(turns: Turns, calls: readonly CallNode[], running: boolean): TimelinePause[] {
  // A call that never ended may have waited for its next prompt, as all do in sessions of other tools.
  const worked = calls.filter(({ outcome }) => outcome !== undefined || running);
  const stretches = [...turns.slice(0, turns.length), ...worked];
  // What says no time is from no time, and not from 1970.
  return pausesBetween(stretches.filter(({ start }) => start > 0));
}

/** The pauses between stretches of work that are so long that a time axis is to draw them shorter, the first one first. */
export function pausesBetween(stretches: readonly Stretch[]): TimelinePause[] {
  const gaps: Stretch[] = [];
  let work = 0;
  let until = -Infinity;
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    if (until !== -Infinity && start - until > SHORTEST) gaps.push({ start: until, end: start });
    work += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  // Where nothing takes any time, the pauses are all there is to see.
  if (work === 0) return [];
  const long = gaps.filter(({ start, end }) => end - start > work * LONG);
  const drawn = work * Math.min(DRAWN, 0.5 / long.length);
  return long.map((gap) => ({ ...gap, drawn }));
}

/** How many milliseconds of a part of the time axis are not drawn. */
export function hiddenWithin(pauses: readonly TimelinePause[], from: number, to: number): number {
  return pauses.reduce((sum, { start, end, drawn }) => {
    const within = Math.max(0, Math.min(end, to) - Math.max(start, from));
    return sum + within * (1 - drawn / (end - start));
  }, 0);
}

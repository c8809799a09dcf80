import { appendAll } from '../../core/lists.js';
import type { CallNode } from './callTree.js';
import type { Reading } from './transcriptReader.js';

/** Shorter than this, in milliseconds, nothing is idle time. */
export const MIN_IDLE_MS = 10_000;

/** A stretch of a run in which nothing ran and nobody was waited for, in milliseconds since 1970. */
export interface IdleStretch {
  readonly start: number;
  readonly end: number;
  /** The position of the first record after it. */
  readonly position: number;
  /** The entry call of the run. */
  readonly call: CallNode;
}

/** A run whose start and requests are recorded. */
interface TimedRun {
  readonly entry: CallNode;
  /** Until when something was going on, as far as is known. */
  until: number;
  /** The stretches so far, in the order of time; of what is recorded later, one that covers them takes them away. */
  readonly stretches: IdleStretch[];
}

/**
 * Finds idle time within runs: between two records of which neither tells that a request, a tool or the wait for a person
 * went on meanwhile, in any of the run's calls. It can be told only where every request is recorded with how long it took,
 * as in our own runs; of any other run nothing is said. The time between two runs is a person's.
 */
export class IdleTime {
  readonly #runs = new Map<number, TimedRun>();
  readonly #untimed = new Set<number>();

  add(reading: Reading): void {
    const { facts, call, position } = reading;
    const { time } = facts;
    if (time === 0 || this.#untimed.has(call.run)) return;
    const run = this.#runs.get(call.run);
    if (!run) {
      if (facts.type === 'callStart' && call.parent === undefined)
        this.#runs.set(call.run, { entry: call, until: time, stretches: [] });
      return;
    }
    if (run.entry.outcome !== undefined && facts.type !== 'callEnd') return;
    // Models are at work then, for nobody knows how long.
    const isUntimed =
      facts.role === 'assistant'
        ? !call.hasRequests
        : facts.type === 'request' && (facts.durationMs ?? 0) === 0 && !facts.isFailure;
    if (isUntimed) {
      this.#untimed.add(call.run);
      this.#runs.delete(call.run);
      return;
    }
    cover(run, time - busyFor(reading), time, position);
  }

  /** All stretches, those of one run in the order of time. */
  list(): IdleStretch[] {
    return [...this.#runs.values()].flatMap(({ stretches }) => stretches);
  }
}

/** For how long before its record something was at work or waited for a person. */
function busyFor({ facts, result }: Reading): number {
  if (facts.type === 'request') return facts.durationMs ?? 0;
  if (facts.type === 'approval') return facts.event?.waitedMs ?? 0;
  if (!result || result.made?.isDispatch === true) return 0;
  return (result.tookMs ?? 0) + (result.made?.waitedMs ?? 0);
}

function cover(run: TimedRun, start: number, end: number, position: number): void {
  const { stretches, entry } = run;
  if (start - run.until >= MIN_IDLE_MS)
    stretches.push({ start: run.until, end: start, position, call: entry });
  else {
    // What took long is recorded when it ends: it may have gone on during a stretch that seemed idle.
    for (let last = stretches.at(-1); last && last.end > start; last = stretches.at(-1)) {
      stretches.pop();
      appendAll(stretches, without(last, start, Math.min(end, last.end)));
      if (end < last.end) return;
      if (start > last.start) break;
    }
  }
  run.until = Math.max(run.until, end);
}

/** What is left of a stretch without a part of it, as far as that is still long enough. */
function without(stretch: IdleStretch, from: number, to: number): IdleStretch[] {
  return [
    { ...stretch, end: Math.min(stretch.end, from) },
    { ...stretch, start: Math.max(stretch.start, to) },
  ].filter(({ start, end }) => end - start >= MIN_IDLE_MS);
}

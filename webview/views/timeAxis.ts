import type { TimelinePause } from '../../src/page/protocol/analysis.js';
import { formatCount } from '../format.js';
import { tickStep, type TimeWindow } from './timeScale.js';

/** A mark of the axis: when, and how long after the beginning of everything. */
export interface AxisMark {
  readonly time: number;
  readonly words: string;
}

/** A time axis that draws long pauses shorter than they were; else a drawn millisecond is a millisecond. */
export class TimeAxis {
  readonly #pauses: readonly TimelinePause[];
  readonly #countsSteps: boolean;
  /** Where each pause begins, as it is drawn. */
  readonly #begins: readonly number[];

  /** `countsSteps`: what is drawn are records, counted from 1, instead of milliseconds. */
  constructor(pauses: readonly TimelinePause[], countsSteps = false) {
    this.#pauses = pauses;
    this.#countsSteps = countsSteps;
    let hidden = 0;
    this.#begins = pauses.map(({ start, end, drawn }) => {
      const begin = start - hidden;
      hidden += end - start - drawn;
      return begin;
    });
  }

  /** Where a time is drawn, in milliseconds of the axis. */
  drawn(time: number): number {
    const { pause, begin } = this.#lastBegun((at) => (this.#pauses[at]?.start ?? Infinity) <= time);
    if (!pause) return time;
    const { start, end, drawn } = pause;
    return time >= end ? begin + drawn + time - end : begin + ((time - start) / (end - start)) * drawn;
  }

  /** The time that is drawn there. */
  time(position: number): number {
    const { pause, begin } = this.#lastBegun((at) => (this.#begins[at] ?? Infinity) <= position);
    if (!pause) return position;
    const { start, end, drawn } = pause;
    const within = position - begin;
    return within >= drawn ? end + within - drawn : start + (within / drawn) * (end - start);
  }

  /** What of the axis a part of the time takes. */
  drawnWindow({ from, to }: TimeWindow): TimeWindow {
    return { from: this.drawn(from), to: this.drawn(to) };
  }

  /** The part of the time that a part of the axis shows. */
  timeWindow({ from, to }: TimeWindow): TimeWindow {
    return { from: this.time(from), to: this.time(to) };
  }

  /** The pauses that are seen in a part of the time. */
  pausesIn({ from, to }: TimeWindow): readonly TimelinePause[] {
    return this.#pauses.filter(({ start, end }) => start < to && end > from);
  }

  /** Marks about every `gap` pixels, counted from `origin`; none within a pause. */
  marks(view: TimeWindow, origin: number, width: number, gap = 110): AxisMark[] {
    const { from, to } = this.drawnWindow(view);
    const step = tickStep(to - from, width, gap);
    const pauses = this.pausesIn(view);
    const starts = [view.from, ...pauses.map(({ end }) => end)];
    const ends = [...pauses.map(({ start }) => start), view.to];
    return starts.flatMap((start, at) => {
      const end = ends[at] ?? view.to;
      const marks: AxisMark[] = [];
      for (let time = origin + Math.ceil((start - origin) / step) * step; time <= end; time += step)
        marks.push({ time, words: this.#words(time, origin, step) });
      return marks;
    });
  }

  #words(time: number, origin: number, step: number): string {
    return this.#countsSteps ? formatCount(time + 1) : elapsedWords(time - origin, step);
  }

  /** The last pause for which this holds, and where it begins as drawn; it holds of all before one of which it does. */
  #lastBegun(holds: (at: number) => boolean): { pause: TimelinePause | undefined; begin: number } {
    let [low, high] = [0, this.#pauses.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return { pause: this.#pauses[low - 1], begin: this.#begins[low - 1] ?? 0 };
  }
}

const UNITS = [
  { ms: 86_400_000, word: 'd' },
  { ms: 3_600_000, word: 'h' },
  { ms: 60_000, word: 'min' },
  { ms: 1_000, word: 's' },
] as const;

/** A time since the beginning, no finer than the marks are apart, as `+1 h 30 min` or `+2.5 s`. */
export function elapsedWords(ms: number, step: number): string {
  if (ms <= 0) return '0';
  if (ms < 1_000) return `+${Math.round(ms)} ms`;
  if (ms < 60_000 || step < 1_000) return `+${(ms / 1_000).toFixed(step < 100 ? 3 : step < 1_000 ? 1 : 0)} s`;
  let rest = Math.round(ms / 1_000) * 1_000;
  const words: string[] = [];
  for (const { ms: size, word } of UNITS) {
    const many = Math.floor(rest / size);
    rest -= many * size;
    if (many > 0) words.push(`${many} ${word}`);
  }
  return `+${words.slice(0, 3).join(' ')}`;
}

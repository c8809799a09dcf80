import { dayAfter, dayOf, momentOf, readDate } from '../query/language/amounts.js';

const DAY_MS = 86_400_000;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The days of a time zone, each asked for once: what tells them is slow, and every question asks for the same ones. */
export class Days {
  static readonly #zones = new Map<string, Days>();
  readonly #timeZone: string;
  /** By the number of the day in UTC: the days that begin, or go on, in it. */
  readonly #near = new Map<number, readonly (Stretch & { readonly day: string })[]>();
  readonly #begins = new Map<string, number>();

  private constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  static of(timeZone: string): Days {
    const days = Days.#zones.get(timeZone) ?? new Days(timeZone);
    Days.#zones.set(timeZone, days);
    return days;
  }

  /** The day on which a moment falls, such as `2026-11-01`. */
  of(moment: number): string {
    const number = Math.floor(moment / DAY_MS);
    const near = this.#near.get(number) ?? [];
    const known = near.find(({ from, to }) => moment >= from && moment < to);
    if (known) return known.day;
    const day = dayOf(moment, this.#timeZone);
    const stretch = this.stretch(day);
    // A day that clocks show twice, or that they skip, is asked for each time.
    if (moment >= stretch.from && moment < stretch.to) this.#near.set(number, [...near, { ...stretch, day }]);
    return day;
  }

  /** When a day begins, and the next one. */
  stretch(day: string): Stretch {
    return { from: this.#beginOf(day), to: this.#beginOf(dayAfter(day)) };
  }

  /** When the month of a day begins, and the next one. */
  month(day: string): Stretch {
    const [year = 0, month = 0] = day.split('-').map(Number);
    const next = month === 12 ? `${padded(year + 1, 4)}-01` : `${padded(year, 4)}-${padded(month + 1, 2)}`;
    return { from: this.#beginOf(day.slice(0, 7)), to: this.#beginOf(next) };
  }

  #beginOf(date: string): number {
    const known = this.#begins.get(date);
    if (known !== undefined) return known;
    const read = readDate(date);
    if (!read) throw new RangeError(`'${date}' is no date.`);
    const begin = momentOf(read, { now: 0, timeZone: this.#timeZone });
    this.#begins.set(date, begin);
    return begin;
  }
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

import type { Clock } from '../../src/core/clock.js';
import type { Disposable } from '../../src/core/event.js';
import type { Timers } from '../../src/core/timers.js';

/** A clock and its timers that stand still until a test moves them. */
export class ManualTime implements Clock, Timers {
  #now: number;
  readonly #timers = new Set<{ at: number; act: () => void }>();

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): Disposable {
    const timer = { at: this.#now + ms, act };
    this.#timers.add(timer);
    return { dispose: () => void this.#timers.delete(timer) };
  }

  /** Somebody sets the clock back; timers wait as long as before. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Moves on by `ms`, calling what is due in the order of its time and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.act();
      await settle();
    }
    this.#now = end;
  }

  /** Moves on second by second until `work` has settled. */
  async passUntil<T>(work: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const over = () => void (state.isOver = true);
    work.then(over, over);
    while (!state.isOver) await this.advance(1_000);
    return work;
  }

  #nextUntil(end: number) {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets everything that waits only for settled promises run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets everything run until `condition` holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

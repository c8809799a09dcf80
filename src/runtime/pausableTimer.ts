import type { Clock } from '../core/clock.js';
import type { Disposable } from '../core/event.js';
import type { Timers } from '../core/timers.js';

/** The longest that timers can wait; what is longer would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls once after so much time, not counting the time while it was paused. */
export class PausableTimer implements Disposable {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #act: () => void;
  #left: number;
  #startedAt = 0;
  #timer: Disposable | undefined;
  #pauses = 0;
  #over = false;

  constructor(ms: number, act: () => void, { timers, clock }: { timers: Timers; clock: Clock }) {
    this.#left = Math.min(ms, LONGEST_MS);
    this.#act = act;
    this.#timers = timers;
    this.#clock = clock;
    this.#start();
  }

  /** Stops the time until the returned function was called; pauses may overlap. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#stop();
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      if (--this.#pauses === 0) this.#start();
    };
  }

  dispose(): void {
    this.#over = true;
    this.#timer?.dispose();
  }

  #start(): void {
    if (this.#over) return;
    this.#startedAt = this.#clock.now();
    this.#timer = this.#timers.after(this.#left, () => {
      this.#over = true;
      this.#act();
    });
  }

  #stop(): void {
    if (this.#over) return;
    this.#timer?.dispose();
    this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#startedAt));
  }
}

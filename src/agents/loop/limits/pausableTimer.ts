import type { Clock } from '../../../core/clock.js';
import type { Disposable } from '../../../core/event.js';
import type { Timers } from '../../../core/timers.js';

/** The longest that timers can wait; what is longer would be over at once. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Calls once after so much time, not counting the time while it was paused. A pause sets no timer: most pauses are
 * over within a millisecond, so the timer looks only when it rings at how much of the time was paused.
 */
export class PausableTimer implements Disposable {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #act: () => void;
  #timer: Disposable | undefined;
  #pauses = 0;
  #pausedAt = 0;
  /** How much of the time since the timer was set was paused. */
  #paused = 0;
  /** It rang during a pause; it is set anew when that ends. */
  #rang = false;
  #over = false;

  constructor(ms: number, act: () => void, { timers, clock }: { timers: Timers; clock: Clock }) {
    this.#act = act;
    this.#timers = timers;
    this.#clock = clock;
    this.#set(Math.min(ms, MAX_MS));
  }

  /** Stops the time until the returned function was called; pauses may overlap. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#pausedAt = this.#clock.now();
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      if (--this.#pauses === 0) this.#resume();
    };
  }

  dispose(): void {
    this.#over = true;
    this.#timer?.dispose();
  }

  #set(ms: number): void {
    this.#paused = 0;
    this.#timer = this.#timers.after(ms, () => this.#ring());
  }

  #ring(): void {
    if (this.#over) return;
    if (this.#pauses > 0) {
      this.#paused += this.#clock.now() - this.#pausedAt;
      this.#rang = true;
    } else if (this.#paused > 0) {
      this.#set(this.#paused);
    } else {
      this.#over = true;
      this.#act();
    }
  }

  #resume(): void {
    if (this.#over) return;
    if (!this.#rang) {
      this.#paused += this.#clock.now() - this.#pausedAt;
      return;
    }
    this.#rang = false;
    this.#set(this.#paused);
  }
}

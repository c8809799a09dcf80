import type { Disposable } from '../core/event.js';

/** How long after the system has told of a write files are looked at, in milliseconds: writes come several at a time. */
const TOLD_MS = 20;

/** How long after such a look the next one is, in milliseconds. */
const REST_MS = 250;

/**
 * When many files are looked at: all of those whose time has come in one round, because it is waking up that costs, in this
 * thread and in the one that reads, far more than to look at one file more.
 */
export class LookRounds implements Disposable {
  readonly #due = new Map<object, { readonly at: number; readonly look: () => void }>();
  /** When the latest round was, and the next of those that are soon. */
  #last = 0;
  #soon = 0;
  #timer: NodeJS.Timeout | undefined;
  #next = Infinity;

  /**
   * Looks once, for whom nothing else is planned then: soon, because there is something to be seen, but `notBefore` a time
   * in milliseconds since 1970.
   */
  soon(whose: object, notBefore: number, look: () => void): void {
    const now = Date.now();
    if (this.#soon < now) this.#soon = Math.max(now + TOLD_MS, this.#last + REST_MS);
    this.#plan(whose, Math.max(this.#soon, notBefore), look);
  }

  /** The same some time from now, in milliseconds: at the same moment as others that can wait as long. */
  within(whose: object, wait: number, look: () => void): void {
    const step = Math.max(1, wait);
    this.#plan(whose, Math.ceil((Date.now() + wait / 2) / step) * step, look);
  }

  /** What was planned for somebody is not done. */
  forget(whose: object): void {
    this.#due.delete(whose);
  }

  dispose(): void {
    this.#due.clear();
    clearTimeout(this.#timer);
  }

  #plan(whose: object, at: number, look: () => void): void {
    this.#due.set(whose, { at, look });
    if (at < this.#next) this.#wait(at);
  }

  #wait(at: number): void {
    clearTimeout(this.#timer);
    this.#next = at;
    this.#timer = setTimeout(() => this.#round(), Math.max(0, at - Date.now())).unref();
  }

  #round(): void {
    this.#next = Infinity;
    this.#last = Date.now();
    const now = [...this.#due].filter(([, { at }]) => at <= this.#last);
    for (const [whose] of now) this.#due.delete(whose);
    for (const [, { look }] of now) look();
    let next = Infinity;
    for (const { at } of this.#due.values()) next = Math.min(next, at);
    if (next < this.#next) this.#wait(next);
  }
}

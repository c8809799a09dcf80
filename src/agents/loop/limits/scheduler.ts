import { checkOptions } from '../../../core/checkOptions.js';
import { onAbort } from '../../../core/abort.js';
import { TimeSlices } from '../../../core/yieldToEventLoop.js';
import { DEFAULT_REQUESTS_AT_ONCE } from './limits.js';

/** How long loops may work before timers and input get their turn, in milliseconds. */
const MAX_SLICE_MS = 8;

/** Gives a slot back; calling it again does nothing. */
export type Release = () => void;

/**
 * What all runs of a process share: at most `requestsAtOnce` model requests are under way, in the order in
 * which they were asked for, and no amount of work keeps the event loop for longer than 8 ms.
 * A slot is held only while a model is asked: a parent that waits for its child, a tool or a person holds none.
 */
export class Scheduler {
  readonly #requestsAtOnce: number;
  readonly #slices = new TimeSlices(MAX_SLICE_MS);
  readonly #queue = new Set<() => void>();
  #held = 0;

  constructor(options: { readonly requestsAtOnce?: number } = {}) {
    checkOptions(options, { requestsAtOnce: 'count' }, 'Scheduler');
    const { requestsAtOnce = DEFAULT_REQUESTS_AT_ONCE } = options;
    this.#requestsAtOnce = Math.max(1, Math.floor(requestsAtOnce) || 1);
  }

  /** How many slots are held, and how many wait for one. */
  get load(): { readonly held: number; readonly waiting: number } {
    return { held: this.#held, waiting: this.#queue.size };
  }

  /** A slot for one model request, or undefined when the signal was aborted before one was free. */
  async acquire(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined;
    if (this.#held < this.#requestsAtOnce) this.#held++;
    else if (!(await this.#turn(signal))) return undefined;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#handOn();
    };
  }

  /** Undefined, or a promise to await before going on, because the event loop had no turn for 8 ms. */
  yieldWhenDue(): Promise<void> | undefined {
    return this.#slices.whenOver();
  }

  /** Waits in line; true when a slot was handed over. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const granted = await this.#inLine(signal);
    // It may be stopped in the very moment in which its turn has come.
    if (granted && signal.aborted) this.#handOn();
    return granted && !signal.aborted;
  }

  #inLine(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const grant = (): void => {
        leave();
        resolve(true);
      };
      const leave = onAbort(signal, () => {
        this.#queue.delete(grant);
        resolve(false);
      });
      this.#queue.add(grant);
    });
  }

  #handOn(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#held--;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}

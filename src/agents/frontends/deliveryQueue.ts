import type { Disposable } from '../../core/event.js';
import type { Timers } from '../../core/timers.js';

/** One thing to show. Over the limits, the oldest of the lowest rank is dropped first. */
export interface Delivery<Target> {
  /** 0: dispensable; 1: a dispatch; 2: what a person waits for. */
  readonly rank: 0 | 1 | 2;
  /** The UTF-16 code units that it keeps in memory. */
  readonly units: number;
  /** May be slow, throw or reject. */
  show(target: Target): void | Promise<void>;
}

/** The limits of a delivery queue. */
export interface DeliveryLimits {
  /** How many deliveries may wait. */
  readonly waiting: number;
  /** How many UTF-16 code units the waiting deliveries may have in total; a single one may be larger. */
  readonly units: number;
  /** How long one delivery may take, in milliseconds, before the next one is tried. */
  readonly timeMs: number;
}

/** What a delivery queue needs besides its target. */
export interface DeliveryQueueOptions<Target> {
  readonly limits: DeliveryLimits;
  readonly timers: Timers;
  /** Called for every delivery that failed; `why` completes a sentence like "The frontend …". */
  readonly onFailure: (why: string, error?: unknown) => void;
  /** Makes the notice that is shown once the queue is empty again after deliveries were dropped. */
  readonly noticeFor: (dropped: number) => Delivery<Target>;
}

/**
 * Shows deliveries to one target, one after another, in order. A synchronous target is served synchronously; one that is
 * slow, hangs or fails holds back only itself. No method throws.
 */
export class DeliveryQueue<Target> implements Disposable {
  readonly #target: Target;
  readonly #options: DeliveryQueueOptions<Target>;
  readonly #waiting: Delivery<Target>[] = [];
  #units = 0;
  #dropped = 0;
  #busy = false;
  #closed = false;
  #timer: Disposable | undefined;
  #idle: (() => void)[] = [];

  constructor(target: Target, options: DeliveryQueueOptions<Target>) {
    this.#target = target;
    this.#options = options;
  }

  /** Shows a delivery now, or queues it while another is being shown. */
  push(delivery: Delivery<Target>): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    this.#units += delivery.units;
    if (!this.#busy) {
      this.#drain();
      return;
    }
    const { waiting, units } = this.#options.limits;
    while (this.#waiting.length > waiting || (this.#units > units && this.#waiting.length > 1)) this.#drop();
  }

  /** Resolves when everything pushed so far has been shown, given up or dropped. */
  idle(): Promise<void> {
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Drops what waits; a delivery in progress is no longer waited for. */
  dispose(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#timer?.dispose();
    this.#rest();
  }

  #drain(): void {
    this.#busy = true;
    for (let next = this.#next(); next; next = this.#next()) {
      const answer = this.#show(next);
      if (answer) {
        this.#wait(answer);
        return;
      }
    }
    this.#rest();
  }

  #next(): Delivery<Target> | undefined {
    const next = this.#waiting.shift();
    if (next) this.#units -= next.units;
    if (next || this.#dropped === 0 || this.#closed) return next;
    const notice = this.#options.noticeFor(this.#dropped);
    this.#dropped = 0;
    return notice;
  }

  #show(delivery: Delivery<Target>): Promise<void> | undefined {
    try {
      return delivery.show(this.#target) ?? undefined;
    } catch (error) {
      this.#options.onFailure('failed', error);
      return undefined;
    }
  }

  /** Continues when the delivery has settled or its time is up, whichever comes first. */
  #wait(answer: Promise<void>): void {
    let over = false;
    const goOn = (why?: string, error?: unknown) => {
      if (over || this.#closed) return;
      over = true;
      timer.dispose();
      if (why !== undefined) this.#options.onFailure(why, error);
      this.#drain();
    };
    const { timeMs } = this.#options.limits;
    const timer = this.#options.timers.after(timeMs, () => goOn(`took more than ${timeMs} ms`));
    this.#timer = timer;
    Promise.resolve(answer).then(
      () => goOn(),
      (error: unknown) => goOn('failed', error),
    );
  }

  #drop(): void {
    let at = this.#waiting.findIndex(({ rank }) => rank === 0);
    if (at < 0) at = this.#waiting.findIndex(({ rank }) => rank === 1);
    const [dropped] = this.#waiting.splice(Math.max(at, 0), 1);
    this.#units -= dropped?.units ?? 0;
    this.#dropped++;
  }

  #rest(): void {
    this.#busy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** The text of the notice after deliveries were dropped. */
export function leftOut(dropped: number): string {
  const lines = dropped === 1 ? '1 older line was' : `${dropped} older lines were`;
  return `${lines} left out here, because they came faster than they could be shown.`;
}

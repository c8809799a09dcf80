import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import type { Disposable } from '../../core/event.js';
import { settledWithin, systemTimers, type Timers } from '../../core/timers.js';
import type { Frontend, FrontendLocation } from '../../core/ports/frontend.js';
import type { Log } from '../../core/ports/log.js';
import { DeliveryQueue, leftOut, type Delivery, type DeliveryLimits } from './deliveryQueue.js';

/** What a hub needs. */
export interface FrontendHubOptions {
  readonly log: Log;
  readonly timers?: Timers;
  /** Defaults to `DELIVERY_LIMITS`, limit by limit. */
  readonly limits?: Partial<DeliveryLimits>;
}

const hubOptionKinds: KnownOptions<FrontendHubOptions> = {
  log: 'object',
  timers: 'object',
  limits: 'object',
};

const deliveryLimitKinds: KnownOptions<DeliveryLimits> = {
  waiting: 'count',
  units: 'count',
  timeMs: 'count',
};

/** Per frontend: enough for a burst from all agents of a team; 8 MiB; and longer than five seconds nobody would wait. */
export const DELIVERY_LIMITS: DeliveryLimits = { waiting: 1_000, units: 4 * 1024 * 1024, timeMs: 5_000 };

/** The speaker of the hub's own notices. */
export const HUB_NAME = 'Agent Logbook';

/**
 * Passes everything on to every frontend added. No method waits, throws or rejects, whatever a frontend does; each
 * frontend sees everything in order, at its own pace, and its first failure is logged.
 */
export class FrontendHub implements Frontend, Disposable {
  readonly #queues = new Set<DeliveryQueue<Frontend>>();
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #limits: DeliveryLimits;

  constructor(options: FrontendHubOptions) {
    checkOptions(options, hubOptionKinds, 'FrontendHub');
    checkOptions(options.limits ?? {}, deliveryLimitKinds, 'limits');
    this.#log = options.log;
    this.#timers = options.timers ?? systemTimers;
    this.#limits = { ...DELIVERY_LIMITS, ...options.limits };
  }

  /** Adds a frontend until the result is disposed; `name` is used in the log. */
  add(name: string, frontend: Frontend): Disposable {
    let reported = false;
    const queue = new DeliveryQueue(frontend, {
      limits: this.#limits,
      timers: this.#timers,
      noticeFor,
      onFailure: (why, error) => {
        if (!reported) this.#log.warn(`The frontend '${name}' ${why}; later failures are not logged.`, error);
        reported = true;
      },
    });
    this.#queues.add(queue);
    return {
      dispose: () => {
        this.#queues.delete(queue);
        queue.dispose();
      },
    };
  }

  /**
   * Resolves when every frontend has shown, given up or dropped everything so far, but at the latest after the time limit
   * of one delivery, so that a frontend that hangs delays nobody for longer.
   */
  idle(): Promise<void> {
    const all = Promise.all([...this.#queues].map((queue) => queue.idle()));
    return settledWithin(this.#timers, this.#limits.timeMs, all);
  }

  dispose(): void {
    for (const queue of this.#queues) queue.dispose();
    this.#queues.clear();
  }

  showDispatchStart(caller: string, target: string, task: string, location?: FrontendLocation): void {
    this.#tell(1, task, (frontend) => frontend.showDispatchStart(caller, target, task, location));
  }

  showDispatchResult(caller: string, target: string, result: string, location?: FrontendLocation): void {
    this.#tell(1, result, (frontend) => frontend.showDispatchResult(caller, target, result, location));
  }

  showDispatchFailure(caller: string, target: string, reason: string, location?: FrontendLocation): void {
    this.#tell(1, reason, (frontend) => frontend.showDispatchFailure(caller, target, reason, location));
  }

  showText(agent: string, text: string, location?: FrontendLocation): void {
    this.#tell(2, text, (frontend) => frontend.showText(agent, text, location));
  }

  showToolActivity(
    agent: string,
    toolName: string,
    phase: 'start' | 'end' | 'error',
    detail: string,
    location?: FrontendLocation,
  ): void {
    this.#tell(0, detail, (frontend) => frontend.showToolActivity(agent, toolName, phase, detail, location));
  }

  showApproval(agent: string, title: string, location?: FrontendLocation): void {
    this.#tell(2, title, (frontend) => frontend.showApproval(agent, title, location));
  }

  #tell(rank: Delivery<Frontend>['rank'], text: string, show: Delivery<Frontend>['show']): void {
    const delivery: Delivery<Frontend> = { rank, units: text.length, show };
    for (const queue of this.#queues) queue.push(delivery);
  }
}

function noticeFor(dropped: number): Delivery<Frontend> {
  const text = leftOut(dropped);
  return { rank: 2, units: text.length, show: (frontend) => frontend.showText(HUB_NAME, text) };
}

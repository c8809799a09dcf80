import { onAbort } from '../../core/abort.js';
import { STOPPED_WORDS } from '../../core/cancelled.js';
import type { Disposable } from '../../core/event.js';
import type { Failure, Outcome } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import { NO_PRICES, type PricedRequest, type Prices } from '../../core/ports/prices.js';
import type { ToolSpec } from '../../core/ports/model.js';
import type { RunHold, RuntimeConfig } from './runtimeConfig.js';
import { PausableTimer } from './limits/pausableTimer.js';
import { addCosts, costOf, knownAmount, NO_COST, provenanceOf } from '../../core/cost.js';
import { formatMoney, type NanoDollars } from '../../core/money.js';

/** The money that one run may cost, and what it has cost so far by the prices that are also shown. */
class Budget {
  readonly #limit: NanoDollars | undefined;
  readonly #prices: Prices;
  #spent = NO_COST;

  /** `limit`: undefined for as much as it takes. */
  constructor(limit: NanoDollars | undefined, prices: Prices) {
    this.#limit = limit;
    this.#prices = prices;
  }

  /**
   * Adds one request; why the run must end now, or undefined. A request of unknown cost ends it too: a limit that
   * looks away from what it cannot count would be none.
   */
  add(request: PricedRequest): string | undefined {
    const { model, usage } = request;
    const isFree = usage.cost === undefined && usage.inputTokens + usage.outputTokens === 0;
    if (this.#limit === undefined || isFree) return undefined;
    const cost = this.#prices.costOf(request);
    const limit = formatMoney(this.#limit);
    if (cost.provenance === 'unknown')
      return `The run may cost ${limit}, and what ${model} costs is not known. Give this model a price of your own, or the run no limit of costs.`;
    this.#spent = addCosts(this.#spent, costOf(cost));
    const spent = knownAmount(this.#spent);
    if (spent <= this.#limit) return undefined;
    const about = provenanceOf(this.#spent) === 'estimated' ? 'about ' : '';
    return `The run has cost ${about}${formatMoney(spent)}, more than its limit of ${limit}.`;
  }
}

/** The failure of a call that was stopped by a person. */
export const STOPPED: Failure = { code: 'cancelled', message: STOPPED_WORDS };

/** What holds the run of a conversation, by why runs are held; whoever ends it aborts it. */
export function runHold({
  conversation,
  held,
  controller,
}: {
  readonly conversation: string;
  readonly held: Map<string, string>;
  readonly controller: AbortController;
}): RunHold {
  return {
    get why() {
      return held.get(conversation);
    },
    answer: (goesOn) => {
      held.delete(conversation);
      if (!goesOn) controller.abort();
    },
  };
}

/** The abort reason of a run that reached a limit: a code, and a message for the record. */
export class RunStop extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** How a run ends whose signal is aborted. */
export function stopOf({ reason }: AbortSignal): { readonly outcome: Outcome; readonly error: Failure } {
  if (!(reason instanceof RunStop)) return { outcome: 'cancelled', error: STOPPED };
  const { code, message } = reason;
  return { outcome: 'limited', error: { code, message } };
}

/**
 * What all calls of one run share: its id, its end, and its limits. When a limit is reached, the whole run ends with that
 * reason.
 */
export class RunScope implements Disposable {
  readonly run: string;
  readonly conversation: string;
  readonly #limits: RuntimeConfig['limits'];
  readonly #budget: Budget;
  readonly #controller = new AbortController();
  readonly #timer: PausableTimer;
  readonly #leaveOuter: () => void;
  /** The tools that the record of the run tells of so far, by name. */
  readonly toldTools = new Map<string, ToolSpec>();
  #calls = 0;
  #tokens = 0;
  #isEstimated = false;
  #limit: Failure | undefined;
  #asking: Promise<void> | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(run: string, conversation: string, config: RuntimeConfig, signal: AbortSignal) {
    this.run = run;
    this.conversation = conversation;
    this.#limits = config.limits;
    this.#budget = new Budget(config.limits.cost, config.prices ?? NO_PRICES);
    this.#timer = new PausableTimer(
      config.limits.runMs,
      () => this.end('time', `The run took longer than ${Math.round(config.limits.runMs / 1000)} s.`),
      config,
    );
    this.#leaveOuter = onAbort(signal, () => {
      const reason: unknown = signal.reason;
      if (reason instanceof RunStop) this.end(reason.code, reason.message);
      else this.#controller.abort();
    });
  }

  /** Aborted when the user cancels or a limit of the run is reached. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The limit that ended the run; undefined while none has. */
  get limit(): Failure | undefined {
    return this.#limit;
  }

  /** Counts one more call; false, and the run ends, when no more are allowed. */
  beginCall(): boolean {
    if (this.#calls >= this.#limits.calls) {
      this.end('calls', `The run has started ${this.#calls} calls of agents, which is its limit.`);
      return false;
    }
    this.#calls++;
    return true;
  }

  /** Counts the tokens and the money of a request; the run ends when it has used more than allowed. */
  spend(request: PricedRequest): void {
    const { usage } = request;
    this.#tokens += usage.inputTokens + usage.outputTokens;
    this.#isEstimated ||= usage.estimated;
    const overspent = this.#budget.add(request);
    if (this.#tokens > this.#limits.tokens) {
      const used = `${this.#isEstimated ? 'about ' : ''}${this.#tokens}`;
      this.end('tokens', `The run has used ${used} tokens; its limit is ${this.#limits.tokens}.`);
    } else if (overspent !== undefined) {
      this.end('cost', overspent);
    }
  }

  /** Pauses the run's time limit, while waiting for a person, until the returned function is called. */
  pause(): () => void {
    return this.#timer.pause();
  }

  /** Waits for an answer of a person to what is asked of the whole run: once, whichever of its calls ask meanwhile. */
  asked(ask: () => Promise<void>): Promise<void> {
    const resume = this.#asking ? undefined : this.pause();
    this.#asking ??= ask().finally(() => {
      this.#asking = undefined;
      resume?.();
    });
    return this.#asking;
  }

  /** Ends the run because of a limit; only the first reason counts. */
  end(code: string, message: string): void {
    if (this.signal.aborted) return;
    this.#limit = { code, message };
    this.#controller.abort();
  }

  /** Ends the run because something cannot be recorded; whoever runs it rethrows the first error at its end. */
  breakOff(error: unknown): void {
    this.#broken ??= { error };
    this.end('record', `The run cannot be recorded: ${messageOf(error)}`);
  }

  /** The first error given to `breakOff`. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#broken;
  }

  dispose(): void {
    this.#timer.dispose();
    this.#leaveOuter();
  }
}

import * as v from 'valibot';
import { Cancelled } from '../core/cancelled.js';
import { messageOf } from '../core/text.js';
import type { EventData, EventName } from './events.js';
import type { FromHost } from './protocol.js';
import type { Answer, Params, RequestName } from './requests.js';
import { fromPage } from './protocol.js';
import { requests } from './requests.js';

/** One handler per request; the message of a rejection goes back to the page. */
export type RequestHandlers = {
  readonly [N in RequestName]: (params: Params<N>) => Answer<N> | Promise<Answer<N>>;
};

/** What an answerer needs. */
export interface AnswererOptions {
  /** Resolves when the page's side has taken the message; never rejects. */
  post(message: FromHost): PromiseLike<unknown>;
  readonly handlers: RequestHandlers;
  /** Called for a message that violates the protocol, and for a handler that failed. */
  onProblem(why: string, error?: unknown): void;
}

/** The host's side: validates requests, has them answered, and sends events. */
export class Answerer {
  readonly #options: AnswererOptions;

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  /** Takes a message; resolves when the request, if it is one, has been answered; never rejects. */
  async receive(message: unknown): Promise<void> {
    const parsed = v.safeParse(fromPage, message);
    if (!parsed.success) {
      this.#options.onProblem('The page sent something that is not a question.');
      return;
    }
    const { id, name, params } = parsed.output;
    const checked = v.safeParse(requests[name].params, params);
    if (!checked.success) {
      this.#fail(id, name, new Error(`Malformed: ${checked.issues[0].message}`));
      return;
    }
    try {
      const handler = this.#options.handlers[name] as (params: unknown) => unknown;
      void this.#options.post({ kind: 'answer', id, answer: await handler(checked.output) });
    } catch (error) {
      this.#fail(id, name, error);
    }
  }

  /** Sends an event; resolves when the page's side has taken it, so that a caller who waits never piles up events. */
  tell<N extends EventName>(name: N, data: EventData<N>): PromiseLike<unknown> {
    return this.#options.post({ kind: 'event', name, data });
  }

  #fail(id: number, name: RequestName, error: unknown): void {
    if (error instanceof Cancelled) {
      void this.#options.post({ kind: 'failure', id, message: error.message, cancelled: true });
      return;
    }
    this.#options.onProblem(`The page's question '${name}' failed.`, error);
    void this.#options.post({ kind: 'failure', id, message: messageOf(error) });
  }
}

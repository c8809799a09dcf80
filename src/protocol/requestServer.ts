import * as v from 'valibot';
import { Cancelled } from '../core/cancelled.js';
import { messageOf } from '../core/text.js';
import type { EventData, EventName, PanelEvent } from './events.js';
import { fromPage, type FromHost } from './protocol.js';
import { requests, type Answer, type Params, type RequestName } from './requests.js';

/** Answers one kind of request; the message of a rejection goes back to whoever asked. */
export type RequestHandler<N extends RequestName> = (params: Params<N>) => Answer<N> | Promise<Answer<N>>;

/** Who answers which requests: each part of a panel adds the handlers of its own. */
export class RequestHandlers {
  readonly #handlers = new Map<RequestName, (params: never) => unknown>();

  /** Adds the handler of a request; throws where it has one already. */
  add<N extends RequestName>(name: N, handler: RequestHandler<N>): void {
    if (this.#handlers.has(name)) throw new Error(`Two handlers for the request '${name}'.`);
    this.#handlers.set(name, handler);
  }

  /** Has a request answered; rejects as its handler does, and where there is none. */
  async answer<N extends RequestName>(name: N, params: Params<N>): Promise<Answer<N>> {
    const handler = this.#handlers.get(name) as RequestHandler<N> | undefined;
    if (!handler) throw new Error(`Nobody answers the request '${name}'.`);
    return await handler(params);
  }

  /** The names of the requests that nobody answers. */
  get missing(): RequestName[] {
    return (Object.keys(requests) as RequestName[]).filter((name) => !this.#handlers.has(name));
  }
}

/** What a server needs. */
export interface RequestServerOptions {
  /** Resolves when the page's side has taken the message; never rejects. */
  post(message: FromHost): PromiseLike<unknown>;
  readonly handlers: RequestHandlers;
  /** Called for a message that violates the protocol, and for a handler that failed. */
  onProblem(why: string, error?: unknown): void;
}

/** The host's side: checks requests, has them answered, and sends events. */
export class RequestServer {
  readonly #options: RequestServerOptions;

  constructor(options: RequestServerOptions) {
    this.#options = options;
  }

  /** Takes a message; resolves when the request, if it is one, has been answered; never rejects. */
  async receive(message: unknown): Promise<void> {
    const parsed = v.safeParse(fromPage, message);
    if (!parsed.success) {
      this.#options.onProblem('The page sent something that is not a request.');
      return;
    }
    const { id, name, params } = parsed.output;
    const checked = v.safeParse(requests[name], params);
    if (!checked.success) {
      this.#fail(id, name, new Error(`Malformed: ${checked.issues[0].message}`));
      return;
    }
    try {
      const answer = await this.#options.handlers.answer(name, checked.output);
      void this.#options.post({ kind: 'answer', id, answer });
    } catch (error) {
      this.#fail(id, name, error);
    }
  }

  /** Sends an event; resolves when the page's side has taken it, so that a caller who waits never piles up events. */
  notify<N extends EventName>(name: N, data: EventData<N>): PromiseLike<unknown> {
    return this.#options.post({ kind: 'event', ...({ name, data } as PanelEvent) });
  }

  #fail(id: number, name: RequestName, error: unknown): void {
    if (error instanceof Cancelled) {
      void this.#options.post({ kind: 'failure', id, message: error.message, cancelled: true });
      return;
    }
    this.#options.onProblem(`The page's request '${name}' failed.`, error);
    void this.#options.post({ kind: 'failure', id, message: messageOf(error) });
  }
}

import * as v from 'valibot';
import { Cancelled } from '../../core/cancelled.js';
import { messageOf } from '../../core/text.js';
import { isLoaded } from './pageMessages.js';
import {
  fromPage,
  type AnswerIn,
  type Contract,
  type EventIn,
  type FromHost,
  type NameIn,
  type PanelContract,
  type ParamsIn,
  type RequestTable,
} from './protocol.js';
import { requests as panelRequests } from './requests.js';

/** Answers one kind of request; the message of a rejection goes back to whoever asked. */
export type RequestHandler<C extends Contract, N extends NameIn<C>> = (
  params: ParamsIn<C, N>,
) => AnswerIn<C, N> | Promise<AnswerIn<C, N>>;

/** Who answers which requests: each part of a page's host adds the handlers of its own. */
export class RequestHandlers<C extends Contract = PanelContract> {
  readonly #handlers = new Map<NameIn<C>, (params: never) => unknown>();
  /** The requests that there are. */
  readonly requests: RequestTable<C>;

  constructor(requests: RequestTable<C>) {
    this.requests = requests;
  }

  /** Handlers for the requests of a transcript's page. */
  static ofPanel(): RequestHandlers {
    return new RequestHandlers<PanelContract>(panelRequests);
  }

  /** Adds the handler of a request; throws where it has one already. */
  add<N extends NameIn<C>>(name: N, handler: RequestHandler<C, N>): void {
    if (this.#handlers.has(name)) throw new Error(`Two handlers for the request '${name}'.`);
    this.#handlers.set(name, handler);
  }

  /** Has a request answered; rejects as its handler does, and where there is none. */
  async answer<N extends NameIn<C>>(name: N, params: ParamsIn<C, N>): Promise<AnswerIn<C, N>> {
    const handler = this.#handlers.get(name) as RequestHandler<C, N> | undefined;
    if (!handler) throw new Error(`Nobody answers the request '${name}'.`);
    return await handler(params);
  }

  /** The names of the requests that nobody answers. */
  get missing(): NameIn<C>[] {
    return (Object.keys(this.requests) as NameIn<C>[]).filter((name) => !this.#handlers.has(name));
  }
}

/** What a server needs. */
export interface RequestServerOptions<C extends Contract> {
  /** Resolves when the page's side has taken the message; never rejects. */
  post(message: FromHost<C>): PromiseLike<unknown>;
  readonly handlers: RequestHandlers<C>;
  /** Called for a message that violates the protocol, and for a handler that failed. */
  onProblem(why: string, error?: unknown): void;
}

/** The host's side: checks requests, has them answered, and sends events. */
export class RequestServer<C extends Contract = PanelContract> {
  readonly #options: RequestServerOptions<C>;

  constructor(options: RequestServerOptions<C>) {
    this.#options = options;
  }

  /** Takes a message; resolves when the request, if it is one, has been answered; never rejects. */
  async receive(message: unknown): Promise<void> {
    if (isLoaded(message)) return;
    const { handlers } = this.#options;
    const parsed = v.safeParse(fromPage, message);
    if (!parsed.success || !Object.hasOwn(handlers.requests, parsed.output.name)) {
      this.#options.onProblem('The page sent something that is not a request.');
      return;
    }
    const { id, params } = parsed.output;
    const name = parsed.output.name as NameIn<C>;
    const checked = v.safeParse(handlers.requests[name], params);
    if (!checked.success) {
      this.#fail(id, name, new Error(`Malformed: ${checked.issues[0].message}`));
      return;
    }
    try {
      const answer = await handlers.answer(name, checked.output as ParamsIn<C, typeof name>);
      void this.#options.post({ kind: 'answer', id, answer });
    } catch (error) {
      this.#fail(id, name, error);
    }
  }

  /** Sends an event; resolves when the page's side has taken it, so that a caller who waits never piles up events. */
  notify<N extends keyof C['events']>(name: N, data: C['events'][N]): PromiseLike<unknown> {
    return this.#options.post({ kind: 'event', ...({ name, data } as EventIn<C>) });
  }

  #fail(id: number, name: string, error: unknown): void {
    if (error instanceof Cancelled) {
      void this.#options.post({ kind: 'failure', id, message: error.message, cancelled: true });
      return;
    }
    this.#options.onProblem(`The page's request '${name}' failed.`, error);
    void this.#options.post({ kind: 'failure', id, message: messageOf(error) });
  }
}

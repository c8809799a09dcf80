import { Cancelled } from '../../core/cancelled.js';
import type {
  AnswerIn,
  Contract,
  EventIn,
  FromHost,
  FromPage,
  NameIn,
  PanelContract,
  ParamsIn,
} from './protocol.js';

/** What a client needs. */
export interface RequestClientOptions<C extends Contract> {
  post(message: FromPage): void;
  onEvent(event: EventIn<C>): void;
  /** Called for an answer that nobody asked for. */
  onUnexpected(why: string): void;
}

interface PendingRequest {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Of all clients, so that an answer to one that has ended is none to the next. */
let lastId = 0;

/** The page's side: sends requests, gets every answer or failure back, and receives events. */
export class RequestClient<C extends Contract = PanelContract> {
  readonly #waiting = new Map<number, PendingRequest>();
  readonly #options: RequestClientOptions<C>;
  /** The id of the last request before those of this client. */
  readonly #before = lastId;

  constructor(options: RequestClientOptions<C>) {
    this.#options = options;
  }

  /** The number of requests without an answer. */
  get open(): number {
    return this.#waiting.size;
  }

  /** Sends a request; rejects with the host's message where it failed, with `Cancelled` where the person called it off. */
  ask<N extends NameIn<C>>(name: N, params: ParamsIn<C, N>): Promise<AnswerIn<C, N>> {
    const id = ++lastId;
    return new Promise<AnswerIn<C, N>>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#options.post({ kind: 'request', id, name, params });
    });
  }

  /** Takes a message from the host. */
  receive(message: FromHost<C>): void {
    if (message.kind === 'event') {
      this.#options.onEvent(message);
      return;
    }
    const asked = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!asked) {
      if (message.id > this.#before) this.#options.onUnexpected('an answer that nobody asked for');
    } else if (message.kind === 'answer') asked.resolve(message.answer as never);
    else asked.reject(message.cancelled ? new Cancelled(message.message) : new Error(message.message));
  }
}

import { Cancelled } from '../core/cancelled.js';
import type { PanelEvent } from './events.js';
import type { FromHost, FromPage } from './protocol.js';
import type { Answer, Params, RequestName } from './requests.js';

/** What a client needs. */
export interface RequestClientOptions {
  post(message: FromPage): void;
  onEvent(event: PanelEvent): void;
  /** Called for an answer that nobody asked for. */
  onUnexpected(why: string): void;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** The page's side: sends requests, gets every answer or failure back, and receives events. */
export class RequestClient {
  readonly #waiting = new Map<number, Waiting>();
  readonly #options: RequestClientOptions;
  #lastId = 0;

  constructor(options: RequestClientOptions) {
    this.#options = options;
  }

  /** The number of requests without an answer. */
  get open(): number {
    return this.#waiting.size;
  }

  /** Sends a request; rejects with the host's message where it failed, with `Cancelled` where the person called it off. */
  ask<N extends RequestName>(name: N, params: Params<N>): Promise<Answer<N>> {
    const id = ++this.#lastId;
    return new Promise<Answer<N>>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#options.post({ kind: 'request', id, name, params });
    });
  }

  /** Takes a message from the host. */
  receive(message: FromHost): void {
    if (message.kind === 'event') {
      this.#options.onEvent(message);
      return;
    }
    const asked = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!asked) this.#options.onUnexpected('an answer that nobody asked for');
    else if (message.kind === 'answer') asked.resolve(message.answer as never);
    else asked.reject(message.cancelled ? new Cancelled(message.message) : new Error(message.message));
  }
}

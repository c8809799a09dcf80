import * as v from 'valibot';
import { Cancelled } from '../core/cancelled.js';
import type { EventData, EventName } from './events.js';
import type { FromHost, FromPage } from './protocol.js';
import type { Answer, Params, RequestName } from './requests.js';
import { events } from './events.js';
import { fromHost } from './protocol.js';
import { requests } from './requests.js';

/** Called for every well-formed event. */
type EventListener = <N extends EventName>(name: N, data: EventData<N>) => void;

/** What an asker needs. */
export interface AskerOptions {
  post(message: FromPage): void;
  onEvent: EventListener;
  /** Called for a message that violates the protocol. */
  onStray(why: string): void;
}

interface Waiting {
  readonly name: RequestName;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** The page's side: sends requests, gets every answer or failure back, and receives events. */
export class Asker {
  readonly #waiting = new Map<number, Waiting>();
  readonly #options: AskerOptions;
  #lastId = 0;

  constructor(options: AskerOptions) {
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
      this.#waiting.set(id, { name, resolve, reject });
      this.#options.post({ kind: 'request', id, name, params });
    });
  }

  /** Takes any message from the host. */
  receive(message: unknown): void {
    const parsed = v.safeParse(fromHost, message);
    if (!parsed.success) this.#options.onStray('not a message of the host');
    else if (parsed.output.kind === 'event') this.#hear(parsed.output.name, parsed.output.data);
    else this.#settle(parsed.output);
  }

  #settle(reply: Exclude<FromHost, { kind: 'event' }>): void {
    const asked = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (!asked) {
      this.#options.onStray('an answer that nobody asked for');
    } else if (reply.kind === 'failure') {
      asked.reject(reply.cancelled ? new Cancelled(reply.message) : new Error(reply.message));
    } else {
      const answer = v.safeParse(requests[asked.name].answer, reply.answer);
      if (answer.success) asked.resolve(answer.output as never);
      else asked.reject(new Error(`The answer to '${asked.name}' is malformed: ${answer.issues[0].message}`));
    }
  }

  #hear(name: EventName, data: unknown): void {
    const parsed = v.safeParse(events[name], data);
    if (parsed.success) this.#options.onEvent(name, parsed.output);
    else this.#options.onStray(`a malformed event '${name}': ${parsed.issues[0].message}`);
  }
}

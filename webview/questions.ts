import { Cancelled } from '../src/core/cancelled.js';
import { messageOf } from '../src/core/text.js';
import type { RequestClient } from '../src/page/protocol/requestClient.js';
import type { Answer, Params, RequestName } from '../src/page/protocol/requests.js';
import type { Notice } from './state.js';
import type { Store } from './store.js';

/** Requests to the host whose failures become notices. */
export class Questions {
  readonly #client: RequestClient;
  readonly #store: Store;

  constructor(client: RequestClient, store: Store) {
    this.#client = client;
    this.#store = store;
  }

  /** Sends a request; undefined where it failed or the person called it off. */
  async ask<N extends RequestName>(name: N, params: Params<N>): Promise<Answer<N> | undefined> {
    try {
      return await this.#client.ask(name, params);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#notice(messageOf(error), 'error');
      return undefined;
    }
  }

  /**
   * Sends a request whose answer does not matter; `done` is shown as a notice when it has succeeded, unless the editor tells
   * more of it.
   */
  run<N extends RequestName>(name: N, params: Params<N>, done?: string): void {
    void this.ask(name, params).then((answer) => {
      const isTold = answer && 'isTold' in answer && answer.isTold;
      if (answer && done !== undefined && !isTold) this.tell(done);
    });
  }

  /** Tells what was done; `undoes` offers to undo it. */
  tell(text: string, undoes?: Notice['undoes']): void {
    this.#notice(text, 'info', undoes);
  }

  #notice(text: string, level: 'info' | 'error', undoes?: Notice['undoes']): void {
    this.#store.dispatch({ type: 'notice', notice: { text, level, ...(undoes && { undoes }) } });
  }
}

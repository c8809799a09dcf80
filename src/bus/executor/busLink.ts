import { Emitter, type Event } from '../../core/event.js';
import type { Log } from '../../ports/log.js';
import type { BusState } from '../../ports/messageBus.js';

/** How a bus is connected, for those who want to hear when that changes. */
export class BusLink {
  readonly #changed: Emitter<BusState>;
  #state: BusState = { kind: 'off' };

  constructor(log: Log) {
    this.#changed = new Emitter((error) => log.error('A listener to the state of a bus failed', error));
  }

  get state(): BusState {
    return this.#state;
  }

  get onDidChange(): Event<BusState> {
    return this.#changed.event;
  }

  become(state: BusState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed.fire(state);
  }
}

/** Does the work, and aborts `stop` when the signal is aborted before the work has ended. */
export function stoppedBy<T>(signal: AbortSignal, stop: AbortController, work: () => Promise<T>): Promise<T> {
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return work().finally(() => signal.removeEventListener('abort', abort));
}

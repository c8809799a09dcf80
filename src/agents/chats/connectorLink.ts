import { linkedController } from '../../core/abort.js';
import { Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import type { ConnectorState } from '../../core/ports/chatConnector.js';

/** What a connector may use between one start and its stop. */
export interface ConnectorRun {
  /** Aborted when the connector is stopped, or its start is cancelled. */
  readonly signal: AbortSignal;
  /** Sets the state of the connector; once the signal is aborted it does nothing. */
  readonly become: (state: ConnectorState) => void;
}

/** Starts and stops a connector and keeps its state. A repeated start or stop does nothing. */
export class ConnectorLink {
  readonly #changed: Emitter<ConnectorState>;
  #state: ConnectorState = { kind: 'off' };
  #current: { readonly stop: AbortController; readonly started: Promise<void> } | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(onListenerFailure: ListenerFailure) {
    this.#changed = new Emitter(onListenerFailure);
  }

  get state(): ConnectorState {
    return this.#state;
  }

  get onDidChange(): Event<ConnectorState> {
    return this.#changed.event;
  }

  /** Calls `begin` once an earlier stop has completed. Aborting `signal` cancels only a start still in progress. */
  start(signal: AbortSignal, begin: (run: ConnectorRun) => Promise<void>): Promise<void> {
    this.#current ??= this.#begin(signal, begin);
    return this.#current.started;
  }

  /** Aborts `begin` and calls `close`; then the connector is off. Never rejects, as `close` must not either. */
  stop(close: (stopped: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#current) {
      const { stop, started } = this.#current;
      this.#current = undefined;
      stop.abort();
      // Whoever started it was told why it failed.
      this.#stopped = started
        .catch(() => undefined)
        .then(() => close(stop.signal))
        .finally(() => this.#become({ kind: 'off' }));
    }
    return this.#stopped;
  }

  #begin(signal: AbortSignal, begin: (run: ConnectorRun) => Promise<void>) {
    const { controller: stop, unlink } = linkedController(signal);
    const run: ConnectorRun = {
      signal: stop.signal,
      become: (state) => {
        if (!stop.signal.aborted) this.#become(state);
      },
    };
    const started = this.#stopped.then(() => begin(run)).finally(unlink);
    return { stop, started };
  }

  #become(state: ConnectorState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed.fire(state);
  }
}

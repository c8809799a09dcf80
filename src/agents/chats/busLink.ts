import { linkedController } from '../../core/abort.js';
import { Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import type { BusState } from '../../core/ports/messageBus.js';

/** What a bus may use between one start and its stop. */
export interface BusRun {
  /** Aborted when the bus is stopped, or its start is cancelled. */
  readonly signal: AbortSignal;
  /** Sets the state of the bus; once the signal is aborted it does nothing. */
  readonly become: (state: BusState) => void;
}

/** Starts and stops a bus and keeps its state. A repeated start or stop does nothing. */
export class BusLink {
  readonly #changed: Emitter<BusState>;
  #state: BusState = { kind: 'off' };
  #current: { readonly stop: AbortController; readonly started: Promise<void> } | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(onListenerFailure: ListenerFailure) {
    this.#changed = new Emitter(onListenerFailure);
  }

  get state(): BusState {
    return this.#state;
  }

  get onDidChange(): Event<BusState> {
    return this.#changed.event;
  }

  /** Calls `begin` once an earlier stop has completed. Aborting `signal` cancels only a start still in progress. */
  start(signal: AbortSignal, begin: (run: BusRun) => Promise<void>): Promise<void> {
    this.#current ??= this.#begin(signal, begin);
    return this.#current.started;
  }

  /** Aborts `begin` and calls `close`; then the bus is off. Never rejects, as `close` must not either. */
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

  #begin(signal: AbortSignal, begin: (run: BusRun) => Promise<void>) {
    const { controller: stop, unlink } = linkedController(signal);
    const run: BusRun = {
      signal: stop.signal,
      become: (state) => {
        if (!stop.signal.aborted) this.#become(state);
      },
    };
    const started = this.#stopped.then(() => begin(run)).finally(unlink);
    return { stop, started };
  }

  #become(state: BusState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed.fire(state);
  }
}

import { Emitter, type Event, type ListenerFailure } from '../core/event.js';
import type { BusState } from '../ports/messageBus.js';

/** A bus from one start to its stop. */
export interface BusRun {
  /** Aborted when the bus is stopped, or its start is given up. */
  readonly signal: AbortSignal;
  /** Tells how the bus is connected now; once the signal is aborted it does nothing. */
  readonly become: (state: BusState) => void;
}

/** Starts and stops a bus, each at most once until the other, and tells how it is connected. */
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

  /** Begins after an earlier stop has ended. Aborting `signal` ends a begin that waits, and nothing after it. */
  start(signal: AbortSignal, begin: (run: BusRun) => Promise<void>): Promise<void> {
    this.#current ??= this.#begin(signal, begin);
    return this.#current.started;
  }

  /** Ends what `begin` waits for, then closes what it opened and is off; `close` never rejects, so this never does. */
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
    const stop = new AbortController();
    const run: BusRun = {
      signal: stop.signal,
      become: (state) => {
        if (!stop.signal.aborted) this.#become(state);
      },
    };
    const abort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const started = this.#stopped
      .then(() => begin(run))
      .finally(() => signal.removeEventListener('abort', abort));
    return { stop, started };
  }

  #become(state: BusState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed.fire(state);
  }
}

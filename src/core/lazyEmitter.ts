import { Emitter, type Disposable, type Event, type ListenerFailure } from './event.js';

/** Something that runs only while there are listeners. */
export interface EmitterSource {
  start(): void;
  stop(): void;
}

/** An emitter that starts its source with the first listener and stops it with the last. */
export class LazyEmitter<T> implements Disposable {
  readonly #inner: Emitter<T>;
  readonly #source: EmitterSource;
  #listeners = 0;

  constructor(onFailure: ListenerFailure, source: EmitterSource) {
    this.#inner = new Emitter(onFailure);
    this.#source = source;
  }

  get hasListeners(): boolean {
    return this.#listeners > 0;
  }

  readonly event: Event<T> = (listener) => {
    const subscription = this.#inner.event(listener);
    if (this.#listeners++ === 0) this.#source.start();
    let ended = false;
    return {
      dispose: () => {
        if (ended) return;
        ended = true;
        subscription.dispose();
        if (--this.#listeners === 0) this.#source.stop();
      },
    };
  };

  fire(value: T): void {
    this.#inner.fire(value);
  }

  dispose(): void {
    this.#source.stop();
    this.#inner.dispose();
  }
}

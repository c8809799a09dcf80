/** Something with a lifetime. Disposing it a second time does nothing. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes a listener until the returned disposable is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Receives the error of a listener that threw; must not throw itself. */
export type ListenerFailure = (error: unknown) => void;

/**
 * Fires values to its listeners in the order of their subscription, synchronously.
 * A listener that throws is reported to `onFailure` and affects neither the sender nor the other listeners.
 */
export class Emitter<T> implements Disposable {
  /** Replaced rather than changed, so that a `fire` in progress keeps its list. */
  #listeners: readonly { readonly call: (value: T) => void }[] = [];
  readonly #onFailure: ListenerFailure;

  constructor(onFailure: ListenerFailure) {
    this.#onFailure = onFailure;
  }

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener };
    this.#listeners = [...this.#listeners, entry];
    return {
      dispose: () => {
        this.#listeners = this.#listeners.filter((other) => other !== entry);
      },
    };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener.call(value);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  dispose(): void {
    this.#listeners = [];
  }
}

/** An event that fires with whatever any of these fires. */
export function anyEvent<T>(...events: readonly Event<T>[]): Event<T> {
  return (listener) => {
    const following = events.map((event) => event(listener));
    return {
      dispose: () => {
        for (const each of following) each.dispose();
      },
    };
  };
}

/** An event that fires with what `map` makes of each value. */
export function mappedEvent<T, U>(event: Event<T>, map: (value: T) => U): Event<U> {
  return (listener) => event((value) => listener(map(value)));
}

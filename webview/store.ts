import { INITIAL, type State } from './state.js';
import { reduce, type PageEvent } from './reduce.js';

/** Called after each event with the new and the previous state. */
export type StateListener = (state: State, before: State) => void;

/** Holds the page's state; the only way to change it is an event. */
export class Store {
  #state: State;
  readonly #listeners = new Set<StateListener>();

  constructor(state: State = INITIAL) {
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  dispatch(event: PageEvent): void {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener(this.#state, before);
  }

  /** Calls the listener after each change, and once now. */
  listen(listener: StateListener): void {
    this.#listeners.add(listener);
    listener(this.#state, this.#state);
  }
}

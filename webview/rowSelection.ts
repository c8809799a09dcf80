import { isUnasked } from '../src/page/protocol/question.js';
import { NOWHERE } from './state.js';
import type { Store } from './store.js';

/** Scrolls a row of the list into view. */
export type Reveal = (index: number, align: 'auto' | 'center') => void;

/** The selected row, moved by steps, by place and by click. */
export class RowSelection {
  readonly #store: Store;
  readonly #reveal: Reveal;

  constructor(store: Store, reveal: Reveal) {
    this.#store = store;
    this.#reveal = reveal;
  }

  /** Selects a row and brings it into sight; the list follows its end no longer, unless it is the last one. */
  select(index: number): void {
    const { rows, list } = this.#store.state;
    if (index < 0 || index >= list.rows) return;
    this.#choose(rows.get(index)?.id ?? NOWHERE, index);
    if (index < list.rows - 1) this.#store.dispatch({ type: 'follow', following: false });
    this.#reveal(index, 'auto');
  }

  /** Goes so many rows further; among what a question found from the last to the first. */
  step(by: number): void {
    const { selected, list, asked } = this.#store.state;
    const isKnown = selected !== undefined && selected.index !== NOWHERE;
    const next = (isKnown ? selected.index : by > 0 ? -1 : list.rows) + by;
    const last = list.rows - 1;
    this.select(
      isUnasked(asked) ? Math.max(0, Math.min(next, last)) : (next + list.rows) % Math.max(list.rows, 1),
    );
  }

  /** Selects a row without scrolling. */
  touch(index: number): void {
    const id = this.#store.state.rows.get(index)?.id;
    if (id !== undefined) this.#choose(id, index);
  }

  /** Selects a row at the place that the host gave, and shows its surroundings. */
  goTo(id: number, index: number): void {
    this.#store.dispatch({ type: 'follow', following: false });
    this.#choose(id, index);
    this.#reveal(index, 'center');
  }

  #choose(id: number, index: number): void {
    this.#store.dispatch({ type: 'select', selected: { id, index } });
  }
}

import type { State } from '../state.js';
import type { VirtualList } from './virtualList.js';
import { controlsIn, setReachable } from './controls.js';

/**
 * The keyboard's way through the list. Tab stops at one row of it, the selected one or the first in sight; a row's
 * buttons are passed by until the person goes into the row.
 */
export class RowFocus {
  readonly #list: VirtualList;
  /** The row that Tab stops at. */
  #stop: HTMLElement | undefined;
  /** The row whose buttons Tab walks through. */
  #entered: HTMLElement | undefined;
  /** The index of a row that shall have the focus as soon as it is there. */
  #wanted: number | undefined;
  readonly #forget = (): void => {
    this.#wanted = undefined;
  };

  constructor(list: VirtualList) {
    this.#list = list;
    list.element.addEventListener('focusin', ({ target }) => {
      const row = rowOf(target);
      this.#enter(row === target ? undefined : row);
    });
    list.element.addEventListener('focusout', ({ relatedTarget }) => {
      if (rowOf(relatedTarget) !== this.#entered) this.#enter(undefined);
    });
  }

  /** Gives a row the focus, now or as soon as it is drawn and the person is here. */
  want(index: number): void {
    this.#wanted = index;
    // Whoever goes elsewhere meanwhile is not called back.
    for (const name of ['keydown', 'pointerdown'] as const)
      document.addEventListener(name, this.#forget, { capture: true, once: true });
    whenFocused(() => this.#giveWanted());
  }

  /** Goes to the first button of a row; false where there is none. */
  goInto(index: number): boolean {
    const row = this.#list.drawn(index);
    const first = row && controlsIn(row).find((control) => control.checkVisibility());
    if (!first) return false;
    this.#enter(row);
    first.focus();
    return true;
  }

  /** To be called when rows were drawn or the selection is another one. */
  update({ selected }: State): void {
    this.#giveWanted();
    const stop = this.#row(selected?.index) ?? this.#firstInSight();
    if (stop !== this.#stop) {
      if (this.#stop) this.#stop.tabIndex = -1;
      this.#stop = stop;
    }
    if (stop) stop.tabIndex = 0;
    if (this.#entered) setReachable(this.#entered, true);
  }

  #enter(row: HTMLElement | undefined): void {
    if (row === this.#entered) return;
    if (this.#entered) setReachable(this.#entered, false);
    this.#entered = row;
    if (row) setReachable(row, true);
  }

  #giveWanted(): void {
    const row = this.#row(this.#wanted);
    if (!row || !document.hasFocus()) return;
    this.#wanted = undefined;
    row.focus({ preventScroll: true });
  }

  /** The element of a row that is drawn and known. */
  #row(index: number | undefined): HTMLElement | undefined {
    const element = index === undefined ? undefined : this.#list.drawn(index);
    return element?.dataset.row === undefined ? undefined : element;
  }

  #firstInSight(): HTMLElement | undefined {
    let index = this.#list.top?.index ?? 0;
    while (this.#list.drawn(index) && !this.#row(index)) index++;
    return this.#row(index);
  }
}

function rowOf(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('.row') ?? undefined) : undefined;
}

/**
 * Runs something that moves the focus within the page: at once, or, if the person is elsewhere in the editor, as in the
 * command palette, when they come back. A page must not steal the focus.
 */
export function whenFocused(act: () => void): void {
  if (document.hasFocus()) act();
  else window.addEventListener('focus', act, { once: true });
}

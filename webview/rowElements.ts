import type { Row } from '../src/protocol/row.js';
import { markPattern, markTexts } from './content/marks.js';
import { el } from './dom.js';
import { setReachable } from './rows/controls.js';
import { textKey, type RowActions } from './rows/rowContext.js';
import { rowElement } from './rows/rowElement.js';
import { isUnfiltered } from '../src/protocol/criteria.js';
import type { State } from './state.js';

interface Made {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly isFiltered: boolean;
  readonly texts: State['texts'];
  readonly pattern: string;
  readonly element: HTMLElement;
}

/** How many elements are kept besides those that are rendered. */
const KEPT = 120;

/** Creates the elements of rows, and recreates them only when something in them has changed. */
export class RowElements {
  readonly #actions: RowActions;
  readonly #made = new Map<number, Made>();
  readonly #skeletons = new Map<number, HTMLElement>();

  constructor(actions: RowActions) {
    this.#actions = actions;
  }

  /** The element of the row at an index; a placeholder while the row is not known. */
  at(index: number, state: State): HTMLElement {
    const row = state.rows.get(index);
    if (!row) return this.#skeleton(index);
    const pattern = patternOf(state);
    const looks = {
      row,
      isOpen: isOpen(row, state),
      isFiltered: !isUnfiltered(state.criteria),
      texts: state.texts,
      pattern: pattern?.source ?? '',
    };
    const known = this.#made.get(row.id);
    const made = known && isSame(known, looks) ? known : { ...looks, element: this.#make(looks, pattern) };
    this.#made.delete(row.id);
    this.#made.set(row.id, made);
    const { element } = made;
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(state.list.rows));
    element.classList.toggle('selected', state.selected?.index === index);
    return element;
  }

  /** Forgets elements of rows that were not drawn lately. */
  trim(): void {
    for (const id of this.#made.keys()) {
      if (this.#made.size <= KEPT) break;
      this.#made.delete(id);
    }
    for (const index of this.#skeletons.keys()) {
      if (this.#skeletons.size <= KEPT) break;
      this.#skeletons.delete(index);
    }
  }

  #make(
    { row, isOpen: isRowOpen, isFiltered, texts }: Omit<Made, 'element'>,
    pattern: RegExp | undefined,
  ): HTMLElement {
    const element = rowElement(row, {
      isOpen: isRowOpen,
      isFiltered,
      textOf: (field, part) => texts.get(textKey(row.id, field, part)),
      actions: this.#actions,
    });
    if (pattern) markTexts(element, pattern);
    setReachable(element, false);
    return element;
  }

  #skeleton(index: number): HTMLElement {
    const known = this.#skeletons.get(index);
    const element =
      known ??
      el('div', { class: 'row row-skeleton', attributes: { 'aria-hidden': 'true' } }, el('span'), el('span'));
    this.#skeletons.set(index, element);
    return element;
  }
}

function isSame(made: Made, looks: Omit<Made, 'element'>): boolean {
  return (
    made.row === looks.row &&
    made.isOpen === looks.isOpen &&
    made.isFiltered === looks.isFiltered &&
    made.pattern === looks.pattern &&
    (made.texts === looks.texts || sameTexts(made.row.id, made.texts, looks.texts))
  );
}

function sameTexts(row: number, a: State['texts'], b: State['texts']): boolean {
  const prefix = `${row}/`;
  const of = (texts: State['texts']) => [...texts].filter(([key]) => key.startsWith(prefix));
  const [before, after] = [of(a), of(b)];
  return (
    before.length === after.length &&
    before.every(([key, text], at) => after[at]?.[0] === key && after[at][1] === text)
  );
}

/** Rows are collapsed by default; with a text filter they are expanded by default, so that matches are visible. */
function isOpen(row: Row, { open, criteria }: State): boolean {
  return open.has(row.id) !== (criteria.text !== '' && row.kind !== 'message');
}

/** What to highlight in rows: the filter's text, or the texts that its pattern matches. */
function patternOf({ criteria, marks, matches }: State): RegExp | undefined {
  if (criteria.text === '' || matches?.problem !== undefined) return undefined;
  const texts = criteria.regex ? marks : [criteria.text];
  return markPattern({ texts, matchCase: criteria.regex || criteria.matchCase });
}

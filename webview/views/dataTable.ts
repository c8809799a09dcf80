import { el, fill, setWords, type Child } from '../dom.js';
import { icon } from '../icons.js';

/** A column: what it shows of an entry, and how it sorts. */
export interface Column<T> {
  readonly label: string;
  readonly title?: string;
  readonly isNumber?: boolean;
  readonly cell: (entry: T) => Child | readonly Child[];
  /** The value to sort by; absent: the column cannot be sorted. Undefined values come last. */
  readonly sort?: (entry: T) => number | string | undefined;
}

/** What a table shows, and how. */
export interface TableOptions<T> {
  readonly caption: string;
  /** Identifies an entry, also across updates. */
  readonly keyOf: (entry: T) => string;
  readonly columns: readonly Column<T>[];
  /** The index of the column that is sorted by initially, largest first; absent: the given order. */
  readonly sortBy?: number;
}

/** A sortable table, whose order and focus survive updates. */
export class DataTable<T> {
  readonly element: HTMLElement;
  readonly #options: TableOptions<T>;
  readonly #head = el('tr');
  readonly #body = el('tbody');
  #entries: readonly T[] = [];
  #drawn = '';
  #sortBy: number | undefined;
  #isDescending = true;

  constructor(options: TableOptions<T>) {
    this.#options = options;
    this.#sortBy = options.sortBy;
    const table = el(
      'table',
      { class: 'data' },
      el('caption', { class: 'sr' }, options.caption),
      el('thead', {}, this.#head),
      this.#body,
    );
    this.element = el(
      'div',
      { class: 'table', role: 'region', tabIndex: 0, attributes: { 'aria-label': options.caption } },
      table,
    );
    this.#drawHead();
  }

  /** Shows other entries; where nothing has changed, the table is not touched. */
  update(entries: readonly T[]): void {
    const said = JSON.stringify(entries);
    if (said === this.#drawn) return;
    this.#drawn = said;
    this.#entries = entries;
    const giveBack = this.#heldFocus();
    this.#drawBody();
    giveBack();
  }

  #drawHead(): void {
    fill(
      this.#head,
      this.#options.columns.map((column, at) => this.#headCell(column, at)),
    );
  }

  #drawBody(): void {
    const { columns, keyOf } = this.#options;
    fill(
      this.#body,
      this.#sorted().map((entry) =>
        el(
          'tr',
          { attributes: { 'data-key': keyOf(entry) } },
          columns.map(({ cell, isNumber }) => bodyCell(cell(entry), isNumber === true)),
        ),
      ),
    );
  }

  /** Notes which entry has the focus; what it gives puts it back into that entry, or onto the table where that is gone. */
  #heldFocus(): () => void {
    const held = document.activeElement;
    const row = held && this.#body.contains(held) ? held.closest('tr') : null;
    if (!held || !row) return () => undefined;
    const position = [...row.querySelectorAll('button')].findIndex((button) => button === held);
    return () => {
      const now = [...this.#body.rows].find(({ dataset }) => dataset.key === row.dataset.key);
      (now?.querySelectorAll('button')[position] ?? this.element).focus({ preventScroll: true });
    };
  }

  #headCell({ label, title, isNumber, sort }: Column<T>, at: number): HTMLElement {
    const isSorted = at === this.#sortBy;
    const order = isSorted ? (this.#isDescending ? 'descending' : 'ascending') : undefined;
    const attributes = { scope: 'col', 'aria-sort': order };
    const look = { class: isNumber ? 'number' : '', attributes, ...(title !== undefined && { title }) };
    if (!sort) return el('th', look, label);
    const arrow = isSorted && icon(this.#isDescending ? 'arrow-down' : 'arrow-up');
    const sortByThis = (): void => {
      this.#isDescending = isSorted ? !this.#isDescending : isNumber === true;
      this.#sortBy = at;
      this.#drawHead();
      this.#drawBody();
      this.#head.querySelectorAll('button')[columnsBefore(this.#options.columns, at)]?.focus();
    };
    return el(
      'th',
      look,
      el(
        'button',
        { class: 'sort', attributes: { type: 'button' }, on: { click: sortByThis } },
        label,
        arrow,
      ),
    );
  }

  #sorted(): readonly T[] {
    const sort = this.#sortBy === undefined ? undefined : this.#options.columns[this.#sortBy]?.sort;
    if (!sort) return this.#entries;
    const sign = this.#isDescending ? -1 : 1;
    return this.#entries.toSorted((a, b) => {
      const [x, y] = [sort(a), sort(b)];
      if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
      return (
        sign * (typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y)
      );
    });
  }
}

/** A cell; one of words tells all of them by its tooltip, as it may be cut. */
function bodyCell(content: Child | readonly Child[], isNumber: boolean): HTMLElement {
  const cell = el('td', { class: isNumber ? 'number' : '' }, content);
  if (!isNumber && !cell.querySelector('[title]')) setWords(cell, 'title', cell.textContent);
  return cell;
}

/** How many columns before one can be sorted by. */
function columnsBefore<T>(columns: readonly Column<T>[], at: number): number {
  return columns.slice(0, at).filter(({ sort }) => sort).length;
}

/** A number with a bar that shows its share of the largest. */
export function bar(part: number, words: string, looks = ''): HTMLElement {
  const fillElement = el('span', { class: `bar-fill ${looks}`.trim() });
  fillElement.style.width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return el(
    'span',
    { class: 'bar' },
    el('span', { class: 'bar-track', attributes: { 'aria-hidden': 'true' } }, fillElement),
    el('span', { class: 'bar-words' }, words),
  );
}

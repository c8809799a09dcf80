import { t } from '../../src/core/l10n.js';
import type { SearchHit, ToldElsewhere } from '../../src/page/protocol/search.js';
import { el } from '../dom.js';
import { VirtualList } from '../rows/virtualList.js';
import { beginningsOf, isItselfFound, resultRow } from './resultRow.js';
import {
  indexOfRow,
  isSameRow,
  movedTo,
  MOVES,
  nextHit,
  parentOf,
  rowsOf,
  rowTyped,
  type ResultRow,
} from './resultRows.js';
import { type RowKey, type SearchState } from './searchState.js';

/** How long a person may pause between the letters of a row's beginning, in milliseconds. */
const TYPING_MS = 800;
/** The colours that agents are told apart by. */
const HUES = 8;

/** What a person does in the list of results. */
export interface ResultActions {
  readonly select: (row: RowKey | undefined) => void;
  readonly collapse: (session: string, collapsed: boolean) => void;
  readonly collapseAll: (collapsed: boolean) => void;
  /** Opens the transcript at what a row stands for. */
  readonly open: (row: ResultRow, staysHere: boolean) => void;
  /** Opens another session where the row of a hit stands as well. */
  readonly openOther: (other: ToldElsewhere, hit: SearchHit, staysHere: boolean) => void;
  /** Lists all hits of a session. */
  readonly more: (row: ResultRow) => void;
  /** Goes back to the bar. */
  readonly leave: () => void;
}

/**
 * What was found, by sessions: a tree of which only what is in sight is in the page. The list itself has the focus, and
 * names the chosen row to screen readers.
 */
export class ResultTree {
  readonly #list: VirtualList;
  readonly #actions: ResultActions;
  readonly #elements = new Map<
    string,
    { readonly row: ResultRow; readonly isSelected: boolean; readonly element: HTMLElement }
  >();
  readonly #hues = new Map<string, number>();
  #rows: readonly ResultRow[] = [];
  #selected: RowKey | undefined;
  #number = -1;
  #typed = '';
  #typedAt = 0;

  constructor(actions: ResultActions) {
    this.#actions = actions;
    this.#list = new VirtualList({
      label: t`Results`,
      role: 'tree',
      tabIndex: 0,
      render: (index) => this.#element(index),
      onRange: () => this.#name(),
    });
    const { element } = this.#list;
    element.classList.add('results');
    element.addEventListener('keydown', (event) => this.#onKey(event));
    element.addEventListener('click', (event) => this.#onClick(event));
    element.addEventListener('dblclick', (event) => this.#onClick(event, false));
    element.addEventListener('focus', () => {
      if (this.#index < 0 && this.#rows.length > 0) this.#choose(0);
    });
  }

  get element(): HTMLElement {
    return this.#list.element;
  }

  /** The chosen row; undefined where none is. */
  get chosen(): ResultRow | undefined {
    return this.#rows[this.#index];
  }

  update(state: SearchState): void {
    const rows = rowsOf(state);
    const isNew = state.number !== this.#number;
    const isMoved =
      isNew ||
      rows.length !== this.#rows.length ||
      rows.some((row, at) => !isSameRow(row.key, this.#rows[at]?.key));
    const isChosenAnew = !isSameRow(state.selected, this.#selected);
    this.#number = state.number;
    const before = this.#rows;
    this.#rows = rows;
    this.#selected = state.selected;
    for (const { agents } of state.groups)
      for (const agent of agents) if (!this.#hues.has(agent)) this.#hues.set(agent, this.#hues.size % HUES);
    if (isNew) this.#elements.clear();
    if (isNew) this.#list.reset(rows.length);
    else if (isMoved) this.#list.change(rows.length, changesBetween(before, rows));
    else this.#list.draw();
    if (isChosenAnew && this.#index >= 0) this.#list.reveal(this.#index);
    this.#name();
  }

  focus(): void {
    this.#list.element.focus();
  }

  /** Chooses the next hit, or the previous one, and gives it; undefined where nothing was found. */
  step(by: 1 | -1): ResultRow | undefined {
    const next = nextHit(this.#rows, this.#index, by);
    if (next >= 0) this.#choose(next);
    return this.#rows[next];
  }

  get #index(): number {
    return indexOfRow(this.#rows, this.#selected);
  }

  #choose(index: number): void {
    const row = this.#rows[index];
    if (row) this.#actions.select(row.key);
  }

  #element(index: number): HTMLElement {
    const row = this.#rows[index];
    if (!row) return el('div', { class: 'row' });
    const id = `result-${row.key.session} ${row.key.hit ?? ''}`;
    const isSelected = isSameRow(row.key, this.#selected);
    const known = this.#elements.get(id);
    if (known?.isSelected === isSelected && isSame(known.row, row)) {
      known.element.id = `result-${index}`;
      return known.element;
    }
    const look = {
      id: `result-${index}`,
      isSelected,
      hueOf: (agent: string) => this.hueOf(agent),
      now: Date.now(),
    };
    const element = resultRow(row, look);
    this.#elements.set(id, { row, isSelected, element });
    return element;
  }

  /** The colour of an agent, the same in all that this page shows. */
  hueOf(agent: string): number {
    const known = this.#hues.get(agent);
    if (known !== undefined) return known;
    const hue = this.#hues.size % HUES;
    this.#hues.set(agent, hue);
    return hue;
  }

  /** Names the chosen row to whoever cannot see it. */
  #name(): void {
    const drawn = this.#list.drawn(this.#index);
    if (drawn) this.element.setAttribute('aria-activedescendant', drawn.id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  #onClick(event: MouseEvent, staysHere = true): void {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>('.result') : null;
    const index = element ? Number(element.id.replace('result-', '')) : -1;
    const row = this.#rows[index];
    if (!row) return;
    this.#choose(index);
    const also = event.target instanceof Element ? event.target.closest('[data-also]') : null;
    const other = row.kind === 'hit' && also && row.hit.alsoIn?.[Number(also.getAttribute('data-also'))];
    if (other) this.#actions.openOther(other, row.hit, staysHere);
    else if (row.kind === 'more') this.#actions.more(row);
    else if (row.kind === 'session' && !isItselfFound(row.group)) {
      if (event.detail === 1) this.#actions.collapse(row.key.session, row.isOpen);
    } else this.#actions.open(row, staysHere);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#handle(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Whether a key had a meaning here. */
  #handle({ key, shiftKey }: KeyboardEvent): boolean {
    const index = this.#index;
    const row = this.#rows[index];
    const move = MOVES.find((each) => each === key);
    if (move) {
      if (move === 'ArrowUp' && index <= 0) this.#actions.leave();
      else this.#choose(movedTo(move, index, { count: this.#rows.length, page: this.#page }));
      return true;
    }
    switch (key) {
      case 'ArrowLeft':
        if (row?.kind === 'session' && row.isOpen) this.#actions.collapse(row.key.session, true);
        else if (row && row.kind !== 'session') this.#choose(parentOf(this.#rows, index));
        return true;
      case 'ArrowRight':
        if (row?.kind === 'session' && !row.isOpen) this.#actions.collapse(row.key.session, false);
        else if (row?.kind === 'session')
          this.#choose(movedTo('ArrowDown', index, { count: this.#rows.length, page: 1 }));
        return true;
      case 'Enter':
        if (row?.kind === 'more') this.#actions.more(row);
        else if (row) this.#actions.open(row, shiftKey);
        return true;
      case '*':
        this.#actions.collapseAll(false);
        return true;
      case 'Escape':
        this.#actions.leave();
        return true;
      default:
        return this.#type(key, row);
    }
  }

  /** Goes to the row that begins with what is typed; a space opens or closes, unless it belongs to what is typed. */
  #type(key: string, row: ResultRow | undefined): boolean {
    const now = Date.now();
    const isGoingOn = this.#typed !== '' && now - this.#typedAt < TYPING_MS;
    if (key === ' ' && !isGoingOn) {
      if (row?.kind === 'session' && !isItselfFound(row.group))
        this.#actions.collapse(row.key.session, row.isOpen);
      else if (row?.kind === 'more') this.#actions.more(row);
      else if (row) this.#actions.open(row, true);
      return true;
    }
    // Names of keys are longer than any letter, which may be of two code units.
    if (key.length > 2 || /^F\d$/.test(key)) return false;
    this.#typed = isGoingOn ? this.#typed + key : key;
    this.#typedAt = now;
    // The first letter goes on from the row after the chosen one, so that it can be typed again and again.
    const found = rowTyped(this.#rows, this.#index + (isGoingOn ? 0 : 1), this.#typed, beginningsOf);
    if (found >= 0) this.#choose(found);
    return true;
  }

  get #page(): number {
    const { windowHeight } = this.#list.span(0);
    const height = this.#list.drawn(Math.max(0, this.#index))?.offsetHeight ?? 44;
    return Math.max(1, Math.floor(windowHeight / Math.max(1, height)) - 1);
  }
}

function isSame(one: ResultRow, other: ResultRow): boolean {
  if (one.kind !== other.kind || one.group !== other.group) return false;
  if (one.kind === 'session' && other.kind === 'session') return one.isOpen === other.isOpen;
  if (one.kind === 'hit' && other.kind === 'hit') return one.hit === other.hit;
  return true;
}

/** What came and went between two lists that begin and end alike. */
function changesBetween(before: readonly ResultRow[], after: readonly ResultRow[]) {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && isSameRow(before[at]?.key, after[at]?.key)) at++;
  let end = 0;
  while (end < most - at && isSameRow(before.at(-1 - end)?.key, after.at(-1 - end)?.key)) end++;
  return [{ at, removed: before.length - at - end, inserted: after.length - at - end }];
}

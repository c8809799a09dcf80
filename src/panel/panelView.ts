import { appendAll } from '../core/lists.js';
import type { Disposable } from '../core/event.js';
import { isUnfiltered, type Criteria } from '../protocol/criteria.js';
import type { ListChange, ListEvent } from '../protocol/events.js';
import type { ListState } from '../protocol/panelState.js';
import type { Params } from '../protocol/requests.js';
import { FilterRun, type FilterRunOptions } from './filter/filterRun.js';
import { ROW } from './rows/rowIndex.js';
import { RowList } from './rows/rowList.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';

/** With more changes than this, the list is sent as a new one. */
const MAX_CHANGES = 200;
/** How long a page that becomes visible again waits for its filter to finish, in milliseconds. */
const MAX_FILTER_WAIT_MS = 2_000;

/** Rows at the end of the list, from the index `start` on. */
export interface Tail<R = number> {
  readonly start: number;
  readonly rows: readonly R[];
}

/** What the view of a panel needs. */
export interface PanelViewOptions extends Pick<FilterRunOptions, 'scan' | 'length' | 'onAdvance'> {
  readonly projection: TranscriptProjection;
}

/**
 * The list as one page sees it: all rows, or those that pass a filter. It changes only in `takeListEvent` and in methods
 * that return such an event, so that page and host agree on it as long as events arrive in order.
 */
export class PanelView implements Disposable {
  readonly #options: PanelViewOptions;
  #list: RowList;
  #filter: FilterRun | undefined;
  #generation = 0;
  #changes: ListChange[] = [];
  #replaced = false;
  #toggled = new Set<number>();
  #told = '';
  /** How many rows the list had when the page was last told of it. */
  #toldRows = 0;

  constructor(options: PanelViewOptions) {
    this.#options = options;
    this.#list = new RowList(options.projection.index);
  }

  get filter(): FilterRun | undefined {
    return this.#filter;
  }

  get expandedAll(): boolean {
    return this.#list.expandedAll;
  }

  isExpanded(row: number): boolean {
    return this.#list.isExpanded(row);
  }

  /** Starts over for a new page; with a filter, waits a little for the row that the page had at its top. */
  async begin({ criteria, expanded, expandedAll, showsRaw, top }: Params<'ready'>): Promise<void> {
    const list = new RowList(this.#options.projection.index, expanded, expandedAll, showsRaw);
    this.#list = list;
    this.setFilter(0, criteria);
    if (top !== undefined && this.#filter) {
      await Promise.race([
        this.#filter.looked,
        new Promise((resolve) => setTimeout(resolve, MAX_FILTER_WAIT_MS)),
      ]);
    }
    // Another page may have started meanwhile.
    if (this.#list !== list) return;
    this.#grow();
    this.#changes = [];
    this.#replaced = false;
    this.#told = this.#stateText();
    this.#toldRows = this.#shown.length;
  }

  /** The rows in the list from `start` up to, not including, `end`. */
  rows(start: number, end: number): readonly number[] {
    return this.#shown.slice(start, end);
  }

  indexOf(row: number): number {
    return this.#shown.indexOf(row);
  }

  get state(): ListState {
    const { index } = this.#options.projection;
    return {
      generation: this.#generation,
      rows: this.#shown.length,
      allRows: index.length - (this.#list.showsRaw ? 0 : index.rawRows),
      rawRows: index.rawRows,
      showsRaw: this.#list.showsRaw,
      messages: index.messages,
      read: index.records,
      records: Math.max(this.#options.length(), index.records),
    };
  }

  /** Sets the filter, or removes it. */
  setFilter(question: number, criteria: Criteria | undefined): void {
    this.#filter?.dispose();
    const { projection, ...options } = this.#options;
    this.#filter =
      criteria && !isUnfiltered(criteria)
        ? new FilterRun({ ...options, question, criteria, index: projection.index })
        : undefined;
    this.#replaced = true;
  }

  expand(row: number, expanded: boolean): void {
    this.#grow();
    this.#toggled.add(row);
    const changes = this.#list.setExpanded(row, expanded);
    if (!this.#isFiltered) appendAll(this.#changes, changes);
  }

  expandAll(expanded: boolean): void {
    this.#grow();
    this.#list.setExpandedAll(expanded);
    if (!this.#isFiltered) this.#replaced = true;
  }

  /** Shows the rows of raw events, or hides them. */
  showRaw(shown: boolean): void {
    this.#grow();
    this.#list.setShowsRaw(shown);
    if (!this.#isFiltered) this.#replaced = true;
  }

  /** Makes a row part of the list, unless a filter hides it; gives its index, or -1. */
  reveal(row: number): number {
    this.#grow();
    if (this.#isFiltered) return this.indexOf(row);
    if (this.#options.projection.index.kind(row) === ROW.raw && !this.#list.showsRaw) this.showRaw(true);
    const { changes, index, opened } = this.#list.reveal(row);
    for (const dispatch of opened) this.#toggled.add(dispatch);
    appendAll(this.#changes, changes);
    return index;
  }

  /** The dispatches expanded or collapsed since the last call. */
  takeToggled(): ReadonlySet<number> {
    const toggled = this.#toggled;
    this.#toggled = new Set();
    return toggled;
  }

  /** The rows that came at the end of the list since the page was told of it, the last `limit` of them. */
  newTail(limit: number): Tail | undefined {
    this.#grow();
    const isAppended = this.#changes.every(({ at, removed }) => at >= this.#toldRows && removed === 0);
    const { length } = this.#shown;
    if (this.#replaced || !isAppended || length <= this.#toldRows) return undefined;
    const start = Math.max(this.#toldRows, length - limit);
    return { start, rows: this.rows(start, length) };
  }

  /** The changes of the list to send to the page, if there are any. */
  takeListEvent(): ListEvent | undefined {
    this.#grow();
    const replaced = this.#replaced || this.#changes.length > MAX_CHANGES;
    const changes = replaced ? [] : this.#changes;
    const told = this.#stateText();
    if (!replaced && changes.length === 0 && told === this.#told) return undefined;
    this.#generation++;
    this.#told = told;
    this.#toldRows = this.#shown.length;
    this.#changes = [];
    this.#replaced = false;
    return { ...this.state, changes, replaced };
  }

  #stateText(): string {
    return JSON.stringify({ ...this.state, generation: 0 });
  }

  dispose(): void {
    this.#filter?.dispose();
  }

  /** A filter that cannot be used hides nothing. */
  get #isFiltered(): boolean {
    return this.#filter !== undefined && this.#filter.problem === undefined;
  }

  get #shown() {
    return this.#isFiltered && this.#filter ? this.#filter.list : this.#list;
  }

  #grow(): void {
    const all = this.#list.grow();
    this.#filter?.place();
    const filtered = this.#filter?.list.grow();
    if (!this.#isFiltered) appendAll(this.#changes, all);
    else if (filtered) appendAll(this.#changes, filtered);
    else this.#replaced = true;
    this.#filter?.grow();
  }
}

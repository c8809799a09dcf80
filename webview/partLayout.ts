import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import { RowHeights } from './rowHeights.js';
import type { Shift } from './shiftRows.js';

/** How many rows beyond the window are drawn. */
const OVERSCAN = 6;
/** Rows that the core knows of at once: with each height that turns out otherwise it computes all of them anew. */
const CORE_ROWS = 2_000;
/** How near to the last row that the core knows of rows may come into sight before it is told of others. */
const CORE_EDGE = 200;
const PADDING = { start: 8, end: 16 };

type Core = Virtualizer<HTMLElement, HTMLElement>;

/** A row that is to be drawn: the core's number of it, and where it begins, in pixels. */
export interface LaidRow {
  readonly row: number;
  readonly index: number;
  readonly start: number;
}

/**
 * Where the rows of one part of a list lie and which of them are in sight, all counted from the part's first. The core
 * counts from `#from`; what lies before and after the rows that it knows of is padding to it, so that drawing costs the
 * same however long the part is.
 */
export class PartLayout {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  readonly #core: Core;
  readonly #heights = new RowHeights();
  #count = 0;
  /** The first row that the core knows of. */
  #from = 0;
  #keyOf = (index: number): number => index;
  /** How far the list is scrolled, known without asking the page, which would have to be laid out for that. */
  #offset = 0;

  /** `onChange`: something else is in sight now, or lies elsewhere. */
  constructor(element: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    // Before anybody else hears of it.
    element.addEventListener('scroll', () => (this.#offset = element.scrollTop), {
      passive: true,
      capture: true,
    });
    this.#core = new Virtualizer<HTMLElement, HTMLElement>(this.#coreOptions());
  }

  /** Begins to follow the element; from here on changes are told. */
  mount(): void {
    this.#core._didMount();
    this.#core._willUpdate();
  }

  get count(): number {
    return this.#count;
  }

  get offset(): number {
    return this.#offset;
  }

  get windowHeight(): number {
    return this.#core.scrollRect?.height ?? 0;
  }

  get height(): number {
    return this.#core.getTotalSize();
  }

  /** Where a row begins, in pixels, as far as heights are known. */
  startOf(row: number): number {
    return PADDING.start + this.#heights.before(row);
  }

  heightOf(row: number): number {
    return this.#heights.of(row);
  }

  rowAt(offset: number): number {
    return this.#heights.at(offset - PADDING.start, this.#count);
  }

  /** Begins with other rows, of which no height is known. */
  begin(count: number): void {
    this.#heights.clear();
    this.#core.elementsCache.clear();
    this.#count = count;
    this.#know(0);
    this.#element.scrollTop = 0;
    this.#offset = 0;
    this.#core.scrollOffset = 0;
  }

  /** There are more or fewer rows at the end now. */
  resize(count: number): void {
    this.#count = count;
    this.#know(this.#from);
  }

  /** Takes heights to where their rows stand now; elements may stand for other rows then. To be followed by `resize`. */
  shift(changes: readonly Shift[]): void {
    this.#heights.shift(changes);
    this.#core.elementsCache.clear();
  }

  /** Lets the core know of the rows around those in sight, or around another one: it scrolls there while `#from` stays. */
  slide(row?: number): void {
    const bottom = this.#offset + this.windowHeight;
    const [first, last] = row === undefined ? [this.rowAt(this.#offset), this.rowAt(bottom)] : [row, row];
    const edge = row === undefined ? CORE_EDGE : 2 * CORE_EDGE;
    const isBefore = this.#from > 0 && first < this.#from + edge;
    const isAfter = this.#end < this.#count && last >= this.#end - edge;
    if (isBefore || isAfter) this.#know(first - CORE_ROWS / 2);
  }

  /** The rows to be drawn. */
  rows(): LaidRow[] {
    this.#core._willUpdate();
    return this.#core.getVirtualItems().map(({ index, key, start }) => ({ row: Number(key), index, start }));
  }

  /** Takes the height of a row that was drawn, which may move all others. */
  measure(element: HTMLElement): void {
    this.#core.measureElement(element);
  }

  scrollToRow(row: number, align: 'auto' | 'center' | 'start'): void {
    this.slide(row);
    this.#core.scrollToIndex(row - this.#from, { align });
  }

  scrollToEnd(): void {
    this.#core.scrollToEnd();
  }

  /** Scrolls to so many pixels below a row's beginning; the page must be high enough. */
  scrollTo(row: number, below: number): void {
    this.#offset = this.startOf(row) + below;
    this.#element.scrollTop = this.#offset;
    this.#core.scrollOffset = this.#offset;
  }

  /** The first row after those that the core knows of. */
  get #end(): number {
    return Math.min(this.#from + CORE_ROWS, this.#count);
  }

  /** Lets the core know of the rows from here on; heights of all others lie in the paddings. */
  #know(from: number): void {
    this.#from = Math.max(0, Math.min(Math.floor(from), this.#count - CORE_ROWS));
    const { itemSizeCache } = this.#core;
    itemSizeCache.clear();
    for (let row = this.#from; row < this.#end; row++) {
      const height = this.#heights.measured(row);
      if (height !== undefined) itemSizeCache.set(row, height);
    }
    // The core computes everything anew when the function that gives keys is another one.
    const first = this.#from;
    this.#keyOf = (index) => first + index;
    this.#core.setOptions(this.#coreOptions());
  }

  /** A row that is hidden keeps the height that it had. */
  #measured(element: HTMLElement, entry: ResizeObserverEntry | undefined, core: Core): number {
    const row = this.#from + core.indexFromElement(element);
    const height = measureElement(element, entry, core) || this.#heights.of(row);
    this.#heights.set(row, height);
    return height;
  }

  #coreOptions() {
    return {
      count: this.#end - this.#from,
      getScrollElement: () => this.#element,
      estimateSize: (index: number) => this.#heights.of(this.#from + index),
      getItemKey: this.#keyOf,
      measureElement: (element: HTMLElement, entry: ResizeObserverEntry | undefined, core: Core) =>
        this.#measured(element, entry, core),
      overscan: OVERSCAN,
      paddingStart: this.startOf(this.#from),
      paddingEnd: this.#heights.before(this.#count) - this.#heights.before(this.#end) + PADDING.end,
      observeElementRect,
      observeElementOffset,
      scrollToFn: (offset: number, options: Parameters<typeof elementScroll>[1], core: Core) => {
        this.#offset = Math.max(0, offset + (options.adjustments ?? 0));
        elementScroll(offset, options, core);
      },
      onChange: () => this.#onChange(),
    };
  }
}

import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import { el, place } from './dom.js';
import { RowHeights } from './rowHeights.js';
import { heldFocus } from './rows/heldFocus.js';
import { shiftIndex, type Shift } from './shiftRows.js';
import type { ListPart, VirtualListOptions } from './virtualListOptions.js';

/** How near to the end, in pixels, counts as being there. */
const END = 24;
/** How many rows beyond the window are drawn. */
const OVERSCAN = 6;
/** How often a list is drawn again because rows turned out to be of another height. */
const MOST_ROUNDS = 4;
/** Rows in the page's scroll range at once: a browser's elements end at about 33 million pixels. */
const PART_ROWS = 250_000;
/** Rows that the core knows of at once: with each height that turns out otherwise it computes all of them anew. */
const CORE_ROWS = 2_000;
/** How near to the last row that the core knows of rows may come into sight before it is told of others. */
const CORE_EDGE = 200;
const PADDING = { start: 8, end: 16 };

type Core = Virtualizer<HTMLElement, HTMLElement>;

/**
 * A list of any number of rows of any height, of which only those in sight are in the page. What is in sight
 * stays where it is while rows above it come, go or change their height. A list that is too long to be scrolled
 * through at once is shown in parts.
 *
 * Indexes are those of the list. The core counts from `#base + #from`; what lies before and after the rows that it knows of
 * is padding to it, so that drawing costs the same however long the list is.
 */
export class VirtualList {
  readonly element: HTMLElement;
  readonly #sizer = el('div', { class: 'rows' });
  readonly #options: VirtualListOptions;
  readonly #core: Core;
  readonly #drawn = new Map<number, HTMLElement>();
  /** Of the part's rows, counted from its first. */
  readonly #heights = new RowHeights();
  #total = 0;
  /** The first row of the part that is shown. */
  #base = 0;
  /** The first row of the part that the core knows of. */
  #from = 0;
  #keyOf = (index: number): number => index;
  /** How far the list is scrolled, known without asking the page, which would have to be laid out for that. */
  #offset = 0;
  #drawing = false;
  #again = false;

  constructor(options: VirtualListOptions) {
    this.#options = options;
    this.element = el('div', {
      class: 'list',
      role: 'feed',
      tabIndex: -1,
      attributes: { 'aria-label': options.label },
    });
    this.element.append(this.#sizer);
    // Before anybody else hears of it.
    this.element.addEventListener('scroll', () => (this.#offset = this.element.scrollTop), {
      passive: true,
      capture: true,
    });
    this.#core = new Virtualizer<HTMLElement, HTMLElement>(this.#coreOptions());
    this.#core._didMount();
    this.#core._willUpdate();
  }

  /** Whether the last row's end can be seen. */
  get isAtEnd(): boolean {
    const left = this.#core.getTotalSize() - this.#windowHeight - this.#offset;
    return this.part.end === this.#total && left <= END;
  }

  get part(): ListPart {
    return { first: this.#base, end: this.#base + this.#count, of: this.#total };
  }

  /** The first row that can be seen, and how far its top lies above the window's top, in pixels. */
  get top(): { readonly index: number; readonly offset: number } | undefined {
    if (this.#count === 0) return undefined;
    const row = this.#heights.at(this.#offset - PADDING.start, this.#count);
    return { index: row + this.#base, offset: this.#offset - this.#startOf(row) };
  }

  /** Makes it another list, of which nothing is known yet. */
  reset(total: number): void {
    this.#total = total;
    this.#beginPart(0);
    this.draw();
  }

  /** Applies changes of the list, and keeps what is in sight where it is. */
  change(total: number, changes: readonly Shift[]): void {
    const { top } = this;
    const isMoved = changes.some(({ at }) => at < this.#total);
    this.#total = total;
    if (isMoved) this.#shiftHeights(changes);
    this.#know(this.#from);
    const index = isMoved && top ? shiftIndex(top.index, changes) : undefined;
    if (top && index !== undefined && index !== top.index) this.#scrollTo(index, top.offset);
    this.draw();
  }

  /** Draws what is in sight; to be called whenever `render` would give something else. */
  draw(): void {
    if (this.#drawing) {
      this.#again = true;
      return;
    }
    this.#drawing = true;
    const giveFocusBack = heldFocus(this.element);
    let rounds = MOST_ROUNDS;
    do {
      this.#again = false;
      this.#slide();
      this.#drawOnce();
    } while (this.#wantsAgain() && --rounds > 0);
    this.#drawing = false;
    giveFocusBack();
    const indexes = [...this.#drawn.keys()];
    const [first, last] = [indexes[0], indexes.at(-1)];
    if (first !== undefined && last !== undefined) this.#options.onRange(first, last, this.isAtEnd);
  }

  /** The element of a row, if it is drawn. */
  drawn(index: number): HTMLElement | undefined {
    return this.#drawn.get(index);
  }

  /** Brings a row into sight. */
  reveal(index: number, align: 'auto' | 'center' | 'start' = 'auto'): void {
    this.showPart(index);
    this.#slide(index - this.#base);
    this.#core.scrollToIndex(index - this.#base - this.#from, { align });
    this.draw();
  }

  /** Where a row lies, counted from the window's top, in pixels, as far as heights are known; and the window's height. */
  span(index: number): { readonly start: number; readonly end: number; readonly windowHeight: number } {
    const start = this.#startOf(index - this.#base) - this.#offset;
    return { start, end: start + this.#heights.of(index - this.#base), windowHeight: this.#windowHeight };
  }

  /** The row so many pixels below the window's top. */
  indexAt(y: number): number {
    return this.#rowAt(this.#offset + y) + this.#base;
  }

  /** Puts a row's top so far above the window's top, as `top` told it. */
  restore(index: number, offset: number): void {
    this.#scrollTo(index, offset);
    this.draw();
  }

  toEnd(): void {
    this.showPart(this.#total - 1);
    this.#core.scrollToEnd();
  }

  /** Shows the part that a row is in. */
  showPart(index: number): void {
    const base = Math.max(0, Math.floor(index / PART_ROWS) * PART_ROWS);
    if (base === this.#base) return;
    this.#beginPart(base);
    this.draw();
  }

  get #count(): number {
    return Math.max(0, Math.min(PART_ROWS, this.#total - this.#base));
  }

  get #windowHeight(): number {
    return this.#core.scrollRect?.height ?? 0;
  }

  /** The first row of the part after those that the core knows of. */
  get #end(): number {
    return Math.min(this.#from + CORE_ROWS, this.#count);
  }

  /** Where a row of the part begins, in pixels. */
  #startOf(row: number): number {
    return PADDING.start + this.#heights.before(row);
  }

  /** Lets the core know of the rows around those in sight, or around another one: it scrolls there while `#from` stays. */
  #slide(row?: number): void {
    const bottom = this.#offset + this.#windowHeight;
    const [first, last] = row === undefined ? [this.#rowAt(this.#offset), this.#rowAt(bottom)] : [row, row];
    const edge = row === undefined ? CORE_EDGE : 2 * CORE_EDGE;
    const isBefore = this.#from > 0 && first < this.#from + edge;
    const isAfter = this.#end < this.#count && last >= this.#end - edge;
    if (isBefore || isAfter) this.#know(first - CORE_ROWS / 2);
  }

  #rowAt(offset: number): number {
    return this.#heights.at(offset - PADDING.start, this.#count);
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

  /** Measuring a row may move all others; then it is drawn again. */
  #drawOnce(): void {
    this.#core._willUpdate();
    this.#sizer.style.height = `${this.#core.getTotalSize()}px`;
    const elements: HTMLElement[] = [];
    this.#drawn.clear();
    for (const { index, key, start } of this.#core.getVirtualItems()) {
      const row = Number(key) + this.#base;
      const element = this.#options.render(row);
      element.dataset.index = String(index);
      element.style.transform = `translateY(${start}px)`;
      elements.push(element);
      this.#drawn.set(row, element);
    }
    place(this.#sizer, elements);
    for (const element of elements) this.#core.measureElement(element);
  }

  /** Asked after drawing, which sets it from below. */
  #wantsAgain(): boolean {
    return this.#again;
  }

  #scrollTo(index: number, offset: number): void {
    this.showPart(index);
    const row = index - this.#base;
    this.#slide(row);
    this.#sizer.style.height = `${this.#core.getTotalSize()}px`;
    this.#offset = this.#startOf(row) + offset;
    this.element.scrollTop = this.#offset;
    this.#core.scrollOffset = this.#offset;
  }

  #shiftHeights(changes: readonly Shift[]): void {
    this.#heights.shift(changes.map((change) => ({ ...change, at: change.at - this.#base })));
    this.#core.elementsCache.clear();
  }

  /** The list from its part's beginning, of which no height is known. */
  #beginPart(base: number): void {
    this.#base = base;
    this.#heights.clear();
    this.#core.elementsCache.clear();
    this.#know(0);
    this.element.scrollTop = 0;
    this.#offset = 0;
    this.#core.scrollOffset = 0;
  }

  /** A row that is hidden keeps the height that it had. */
  #measure(element: HTMLElement, entry: ResizeObserverEntry | undefined, core: Core): number {
    const row = this.#from + core.indexFromElement(element);
    const height = measureElement(element, entry, core) || this.#heights.of(row);
    this.#heights.set(row, height);
    return height;
  }

  #coreOptions() {
    return {
      count: this.#end - this.#from,
      getScrollElement: () => this.element,
      estimateSize: (index: number) => this.#heights.of(this.#from + index),
      getItemKey: this.#keyOf,
      measureElement: (element: HTMLElement, entry: ResizeObserverEntry | undefined, core: Core) =>
        this.#measure(element, entry, core),
      overscan: OVERSCAN,
      paddingStart: this.#startOf(this.#from),
      paddingEnd: this.#heights.before(this.#count) - this.#heights.before(this.#end) + PADDING.end,
      observeElementRect,
      observeElementOffset,
      scrollToFn: (offset: number, options: Parameters<typeof elementScroll>[1], core: Core) => {
        this.#offset = Math.max(0, offset + (options.adjustments ?? 0));
        elementScroll(offset, options, core);
      },
      onChange: () => this.draw(),
    };
  }
}

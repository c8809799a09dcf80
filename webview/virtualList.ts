import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { el } from './dom.js';
import { shiftIndex, type Shift } from './shiftRows.js';

export interface VirtualListOptions {
  readonly label: string;
  /** About how high a row is before it was drawn, in pixels. */
  readonly estimate: (index: number) => number;
  /** The element of a row; the same object as long as nothing of it changed. */
  readonly render: (index: number) => HTMLElement;
  /** Told which rows are drawn, the last one included, and whether the end can be seen. */
  readonly onRange: (first: number, last: number, isAtEnd: boolean) => void;
}

/** A stretch of the list: rows from `first` up to, not including, `end`, of so many. */
export interface ListPart {
  readonly first: number;
  readonly end: number;
  readonly of: number;
}

/** How near to the end, in pixels, counts as being there. */
const END = 24;
/** How many rows beyond the window are drawn. */
const OVERSCAN = 6;
/** How often a list is drawn again because rows turned out to be of another height. */
const MOST_ROUNDS = 4;
/** Rows in the page's scroll range at once: a browser's elements end at about 33 million pixels. */
export const PART_ROWS = 250_000;

/**
 * A list of any number of rows of any height, of which only those in sight are in the page. What is in sight
 * stays where it is while rows above it come, go or change their height. A list that is too long to be scrolled
 * through at once is shown in parts.
 */
export class VirtualList {
  readonly element: HTMLElement;
  readonly #sizer = el('div', { class: 'rows' });
  readonly #options: VirtualListOptions;
  readonly #core: Virtualizer<HTMLElement, HTMLElement>;
  readonly #drawn = new Map<number, HTMLElement>();
  #total = 0;
  /** The first row of the part that is shown. */
  #base = 0;
  #keyOf = (index: number): number => index;
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
    this.#core = new Virtualizer<HTMLElement, HTMLElement>(this.#coreOptions());
    this.#core._didMount();
    this.#core._willUpdate();
  }

  /** Whether the last row's end can be seen. */
  get isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return this.part.end === this.#total && scrollHeight - clientHeight - scrollTop <= END;
  }

  get part(): ListPart {
    return { first: this.#base, end: this.#base + this.#count, of: this.#total };
  }

  /** The first row that can be seen, and how far its top lies above the window's top, in pixels. */
  get top(): { readonly index: number; readonly offset: number } | undefined {
    if (this.#count === 0) return undefined;
    const { scrollTop } = this.element;
    const item = this.#core.getVirtualItemForOffset(scrollTop);
    return item && { index: item.index + this.#base, offset: scrollTop - item.start };
  }

  /** Makes it another list, of which nothing is known yet. */
  reset(total: number): void {
    this.#total = total;
    this.#base = 0;
    this.#forgetSizes();
    this.element.scrollTop = 0;
    this.draw();
  }

  /** Applies changes of the list, and keeps what is in sight where it is. */
  change(total: number, changes: readonly Shift[]): void {
    const { top } = this;
    const isMoved = changes.some(({ at }) => at < this.#total);
    this.#total = total;
    if (isMoved) this.#shiftSizes(changes);
    this.#core.setOptions(this.#coreOptions());
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
    let rounds = MOST_ROUNDS;
    do {
      this.#again = false;
      this.#drawOnce();
    } while (this.#wantsAgain() && --rounds > 0);
    this.#drawing = false;
    const indexes = [...this.#drawn.keys()];
    const [first] = indexes;
    const last = indexes.at(-1);
    if (first !== undefined && last !== undefined) this.#options.onRange(first, last, this.isAtEnd);
  }

  /** The element of a row, if it is drawn. */
  drawn(index: number): HTMLElement | undefined {
    return this.#drawn.get(index);
  }

  /** Brings a row into sight. */
  reveal(index: number, align: 'auto' | 'center' | 'start' = 'auto'): void {
    this.showPart(index);
    this.#core.scrollToIndex(index - this.#base, { align });
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
    this.#base = base;
    this.#forgetSizes();
    this.element.scrollTop = 0;
    this.draw();
  }

  get #count(): number {
    return Math.max(0, Math.min(PART_ROWS, this.#total - this.#base));
  }

  /** Measuring a row may move all others; then it is drawn again. */
  #drawOnce(): void {
    this.#core._willUpdate();
    this.#sizer.style.height = `${this.#core.getTotalSize()}px`;
    const elements: HTMLElement[] = [];
    this.#drawn.clear();
    for (const { index, start } of this.#core.getVirtualItems()) {
      const element = this.#options.render(index + this.#base);
      element.dataset.index = String(index);
      element.style.transform = `translateY(${start}px)`;
      elements.push(element);
      this.#drawn.set(index + this.#base, element);
    }
    this.#place(elements);
    for (const element of elements) this.#core.measureElement(element);
  }

  /** Asked after drawing, which sets it from below. */
  #wantsAgain(): boolean {
    return this.#again;
  }

  #scrollTo(index: number, offset: number): void {
    this.showPart(index);
    const start = this.#core.getOffsetForIndex(index - this.#base, 'start')?.[0];
    if (start === undefined) return;
    this.#sizer.style.height = `${this.#core.getTotalSize()}px`;
    this.element.scrollTop = start + offset;
  }

  /** Keeps the elements in the order of the list without touching those that stay: focus and selection survive. */
  #place(elements: readonly HTMLElement[]): void {
    const staying = new Set<Element>(elements);
    for (const child of [...this.#sizer.children]) {
      if (!staying.has(child)) child.remove();
    }
    elements.forEach((element, at) => {
      const there = this.#sizer.children[at];
      if (there !== element) this.#sizer.insertBefore(element, there ?? null);
    });
  }

  #shiftSizes(changes: readonly Shift[]): void {
    const sizes = [...this.#core.itemSizeCache];
    this.#forgetSizes();
    for (const [key, size] of sizes) {
      const index = shiftIndex(Number(key) + this.#base, changes);
      if (index !== undefined) this.#core.itemSizeCache.set(index - this.#base, size);
    }
  }

  /** The core remembers sizes by key, and computes everything anew when the function that gives keys is another one. */
  #forgetSizes(): void {
    this.#core.itemSizeCache.clear();
    this.#core.elementsCache.clear();
    this.#keyOf = (index) => index;
    this.#core.setOptions(this.#coreOptions());
  }

  #coreOptions() {
    return {
      count: this.#count,
      getScrollElement: () => this.element,
      estimateSize: (index: number) => this.#options.estimate(index + this.#base),
      getItemKey: this.#keyOf,
      overscan: OVERSCAN,
      paddingStart: 8,
      paddingEnd: 16,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => this.draw(),
    };
  }
}

import { el, place } from '../dom.js';
import { PartLayout, type Alignment } from '../partLayout.js';
import { shiftIndex, type Shift } from '../shiftRows.js';
import { controlsIn } from './controls.js';

/** How near to the end, in pixels, counts as being there. */
const END = 24;
/** How often a list is drawn again because rows turned out to be of another height. */
const MAX_ROUNDS = 4;
/** Rows in the page's scroll range at once: a browser's elements end at about 33 million pixels. */
const PART_ROWS = 250_000;

/**
 * A list of any number of rows of any height, of which only those in sight are in the page. What is in sight
 * stays where it is while rows above it come, go or change their height. A list that is too long to be scrolled
 * through at once is shown in parts. Indexes are those of the list.
 */
export class VirtualList {
  readonly element: HTMLElement;
  readonly #sizer = el('div', { class: 'rows', role: 'presentation' });
  readonly #options: VirtualListOptions;
  readonly #layout: PartLayout;
  readonly #drawn = new Map<number, HTMLElement>();
  #total = 0;
  /** The first row of the part that is shown. */
  #base = 0;
  #drawing = false;
  #again = false;

  constructor(options: VirtualListOptions) {
    const { role = 'feed', tabIndex = -1 } = options;
    this.#options = options;
    this.element = el('div', {
      class: 'list',
      role,
      tabIndex,
      attributes: { 'aria-label': options.label },
    });
    this.element.append(this.#sizer);
    if (options.below) this.element.append(options.below);
    this.#layout = new PartLayout(this.element, () => this.draw());
  }

  /** Whether the end can be seen: of the last row, or of what stands below it. */
  get isAtEnd(): boolean {
    const { windowHeight, offset } = this.#layout;
    const height = this.#layout.height + (this.#options.below?.offsetHeight ?? 0);
    return this.part.end === this.#total && height - windowHeight - offset <= END;
  }

  /** Whether the last scrolling was not its own. */
  get isMoved(): boolean {
    return this.#layout.isMoved;
  }

  get part(): ListPart {
    return { first: this.#base, end: this.#base + this.#layout.count, of: this.#total };
  }

  /** The first row that can be seen, and how far its top lies above the window's top, in pixels. */
  get top(): { readonly index: number; readonly offset: number } | undefined {
    const { count, offset } = this.#layout;
    if (count === 0) return undefined;
    const row = this.#layout.rowAt(offset);
    return { index: row + this.#base, offset: offset - this.#layout.startOf(row) };
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
    if (isMoved) {
      const inPart = changes.map((change) => ({ ...change, at: change.at - this.#base }));
      this.#layout.shift(inPart);
    }
    this.#layout.resize(this.#partRows);
    const index = isMoved && top ? shiftIndex(top.index, changes) : undefined;
    if (top && index !== undefined && index !== top.index) this.restore(index, top.offset);
    else this.draw();
  }

  /** Draws what is in sight; to be called whenever `render` would give something else. */
  draw(): void {
    if (this.#drawing) {
      this.#again = true;
      return;
    }
    this.#drawing = true;
    const giveFocusBack = heldFocus(this.element);
    let rounds = MAX_ROUNDS;
    do this.#again = false;
    while ((this.#drawOnce() || this.#wantsAgain()) && --rounds > 0);
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
  reveal(index: number, align: Alignment = 'auto'): void {
    this.showPart(index);
    this.#aim(() => this.#layout.offsetFor(index - this.#base, align));
  }

  /** Where a row lies, counted from the window's top, in pixels, as far as heights are known; and the window's height. */
  span(index: number): { readonly start: number; readonly end: number; readonly windowHeight: number } {
    const { offset, windowHeight } = this.#layout;
    const row = index - this.#base;
    const start = this.#layout.startOf(row) - offset;
    return { start, end: start + this.#layout.heightOf(row), windowHeight };
  }

  /** The row so many pixels below the window's top. */
  indexAt(y: number): number {
    return this.#layout.rowAt(this.#layout.offset + y) + this.#base;
  }

  /** Puts a row's top so far above the window's top, as `top` told it. */
  restore(index: number, offset: number): void {
    this.showPart(index);
    this.#aim(() => this.#layout.startOf(index - this.#base) + offset);
  }

  toEnd(): void {
    this.showPart(this.#total - 1);
    this.#fitPage();
    this.#layout.scrollToEnd();
  }

  /** Shows the part that a row is in. */
  showPart(index: number): void {
    const base = Math.max(0, Math.floor(index / PART_ROWS) * PART_ROWS);
    if (base === this.#base) return;
    this.#beginPart(base);
    this.draw();
  }

  get #partRows(): number {
    return Math.max(0, Math.min(PART_ROWS, this.#total - this.#base));
  }

  #beginPart(base: number): void {
    this.#base = base;
    this.#layout.begin(this.#partRows);
  }

  /** True if a row turned out to be of another height, which may move all others: then it is to be drawn again. */
  #drawOnce(): boolean {
    const elements = new Map<HTMLElement, number>();
    this.#drawn.clear();
    for (const { row, start } of this.#layout.rows()) {
      const element = this.#options.render(row + this.#base);
      element.style.transform = `translateY(${start}px)`;
      elements.set(element, row);
      this.#drawn.set(row + this.#base, element);
    }
    this.#fitPage();
    place(this.#sizer, [...elements.keys()]);
    const isOther = this.#layout.follow(elements);
    this.#fitPage();
    this.#layout.settle();
    return isOther;
  }

  /** Asked after drawing, which sets it from below. */
  #wantsAgain(): boolean {
    return this.#again;
  }

  /** Scrolls to an offset. What is drawn there may turn out to be of another height than assumed: then it is aimed anew. */
  #aim(target: () => number): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { offset } = this.#layout;
      this.#fitPage();
      this.#layout.scrollTo(target());
      if (round > 0 && this.#layout.offset === offset) return;
      this.draw();
    }
  }

  /** Makes the page as high as all rows of the part are. */
  #fitPage(): void {
    this.#sizer.style.height = `${this.#layout.height}px`;
  }
}

/**
 * Notes where in a list's rows the keyboard's focus is. What it gives is called when the rows were drawn anew, and puts
 * the focus back: into the same row where that was made again, onto the list where the row went out of sight.
 */
function heldFocus(list: HTMLElement): () => void {
  const held = document.activeElement;
  if (!(held instanceof HTMLElement) || !list.contains(held)) return () => undefined;
  const row = held.closest<HTMLElement>('.row');
  if (!row) return () => undefined;
  const position = controlsIn(row).indexOf(held);
  return () => {
    if (list.contains(document.activeElement)) return;
    const now = list.querySelector<HTMLElement>(`.row[data-row="${row.dataset.row ?? ''}"]`);
    const control = now ? controlsIn(now)[position] : undefined;
    const isSame = control?.className === held.className;
    (isSame ? control : (now ?? list)).focus({ preventScroll: true });
  };
}

/** What a virtual list needs from its owner. */
interface VirtualListOptions {
  readonly label: string;
  /** What it is for screen readers, and whether the keyboard reaches it; a feed whose rows alone are reached. */
  readonly role?: 'feed' | 'tree';
  readonly tabIndex?: number;
  /** What stands below the last row and is scrolled with the rows. */
  readonly below?: HTMLElement;
  /** The element of a row; the same object as long as nothing of it changed. */
  readonly render: (index: number) => HTMLElement;
  /** Told which rows are drawn, the last one included, and whether the end can be seen. */
  readonly onRange: (first: number, last: number, isAtEnd: boolean) => void;
}

/** A part of the list: the rows from `first` up to, not including, `end`, out of all. */
export interface ListPart {
  readonly first: number;
  readonly end: number;
  readonly of: number;
}

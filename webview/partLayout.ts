import { RowHeights } from './rowHeights.js';
import type { Shift } from './shiftRows.js';

/** How many rows beyond the window are drawn. */
const OVERSCAN = 6;
const PADDING = { start: 8, end: 16 };

/** A row that is to be drawn, and where it begins, in pixels. */
export interface LaidRow {
  readonly row: number;
  readonly start: number;
}

/** How a row is brought into sight: at the window's top, middle or end, or as near as it is. */
export type Alignment = 'auto' | 'center' | 'start';

/**
 * Where the rows of one part of a list lie, which of them are in sight, and how far the list is scrolled. All is counted
 * from the part's first row. What a row's height turns out to be moves those below it, never what is in sight.
 */
export class PartLayout {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  readonly #heights = new RowHeights();
  /** The rows whose heights are followed, and the numbers that they were drawn under. */
  readonly #followed = new Map<HTMLElement, number>();
  readonly #sizes = new ResizeObserver(() => this.#resized());
  #isDelivering = false;
  #count = 0;
  /** How far the list is scrolled, known without asking the page, which would have to be laid out for that. */
  #offset = 0;
  /** Whether the last scrolling that it was told of was not its own: a hand has moved it, or the page. */
  isMoved = false;
  #windowHeight = 0;
  /** By how much the list is still to be scrolled, because rows above the window turned out higher. */
  #unsettled = 0;
  /** The rows that were drawn last. */
  #drawn = { first: 0, end: 0 };

  /** `onChange`: something else is in sight now, or lies elsewhere. */
  constructor(element: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    // Where the list is, everybody knows before anything is drawn: the owner may end or begin to follow the end first.
    element.addEventListener('scroll', () => this.#locate(), { passive: true, capture: true });
    element.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => {
      if (element.clientHeight === this.#windowHeight) return;
      this.#windowHeight = element.clientHeight;
      this.#onChange();
    }).observe(element);
  }

  get count(): number {
    return this.#count;
  }

  get offset(): number {
    return this.#offset;
  }

  get windowHeight(): number {
    return this.#windowHeight;
  }

  /** The height of all rows, with the room before and after them. */
  get height(): number {
    return this.startOf(this.#count) + PADDING.end;
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
    this.#forgetElements();
    this.#count = count;
    this.#windowHeight = this.#element.clientHeight;
    this.#scrollTo(0);
  }

  /** There are more or fewer rows at the end now. */
  resize(count: number): void {
    this.#count = count;
  }

  /** Takes heights to where their rows stand now; elements may stand for other rows then. To be followed by `resize`. */
  shift(changes: readonly Shift[]): void {
    this.#heights.shift(changes);
    this.#forgetElements();
  }

  /** The rows to be drawn. */
  rows(): LaidRow[] {
    this.#drawn = this.#inSight();
    const rows: LaidRow[] = [];
    let start = this.startOf(this.#drawn.first);
    for (let row = this.#drawn.first; row < this.#drawn.end; row++) {
      rows.push({ row, start });
      start += this.#heights.of(row);
    }
    return rows;
  }

  /** Follows the heights of these rows and of no others; true if one of them is another than was assumed. */
  follow(elements: ReadonlyMap<HTMLElement, number>): boolean {
    for (const element of this.#followed.keys()) if (!elements.has(element)) this.#sizes.unobserve(element);
    const others = [...elements.keys()].filter((element) => !this.#followed.has(element));
    this.#followed.clear();
    for (const [element, row] of elements) this.#followed.set(element, row);
    this.#observe(others);
    return this.#measure();
  }

  /** Scrolls as far as rows that were measured moved what is in sight; the page must be high enough by now. */
  settle(): void {
    if (this.#unsettled === 0 || this.#isHidden) return;
    // Somebody may have scrolled since, which is told later.
    this.#scrollTo(this.#element.scrollTop + this.#unsettled);
  }

  /** Where the list must be scrolled to for a row to be in sight, in pixels. */
  offsetFor(row: number, align: Alignment): number {
    const [start, height] = [this.startOf(row), this.heightOf(row)];
    if (align === 'start') return start;
    if (align === 'center') return start - (this.#windowHeight - height) / 2;
    if (start + height >= this.#offset + this.#windowHeight) return start + height - this.#windowHeight;
    return Math.min(start, this.#offset);
  }

  /** Scrolls to an offset, or as far as the page goes. */
  scrollTo(offset: number): void {
    this.#scrollTo(Math.max(0, offset));
  }

  scrollToEnd(): void {
    this.#scrollTo(Math.max(this.height, this.#element.scrollHeight));
  }

  /** What is hidden cannot be scrolled: it is when it is seen again. */
  #scrollTo(offset: number): void {
    this.#element.scrollTop = offset;
    this.#offset = this.#isHidden ? offset : this.#element.scrollTop;
    this.#unsettled = this.#isHidden ? offset - this.#element.scrollTop : 0;
  }

  get #isHidden(): boolean {
    return this.#windowHeight === 0;
  }

  #locate(): void {
    if (this.#isHidden) return;
    const { scrollTop } = this.#element;
    this.isMoved = scrollTop !== this.#offset;
    this.#offset = scrollTop;
  }

  #scrolled(): void {
    const { first, end } = this.#inSight();
    if (first !== this.#drawn.first || end !== this.#drawn.end) this.#onChange();
  }

  #resized(): void {
    this.#isDelivering = true;
    if (this.#measure()) this.#onChange();
    this.#isDelivering = false;
  }

  /**
   * Takes the heights of the rows that are followed, and scrolls by as much as what lies above the window grew: a row that is drawn for the
   * first time, if it begins there; one that changes, if it ends there, so that what is opened or written stays in place.
   */
  #measure(): boolean {
    const before = this.#offset;
    let moved = 0;
    let isOther = false;
    for (const [element, row] of this.#followed) {
      const height = element.offsetHeight;
      const old = this.#heights.of(row);
      const isFirst = this.#heights.measured(row) === undefined;
      // A row that is hidden keeps the height that it had.
      if (height === 0 || (height === old && !isFirst)) continue;
      const start = this.startOf(row);
      if (start < before + moved && (isFirst || start + old <= before + moved)) moved += height - old;
      this.#heights.set(row, height);
      isOther ||= height !== old;
    }
    this.#offset += moved;
    this.#unsettled += moved;
    return isOther;
  }

  /** What is observed while sizes are delivered could not be delivered any more, which browsers report as an error. */
  #observe(elements: readonly HTMLElement[]): void {
    if (this.#isDelivering) {
      requestAnimationFrame(() => this.#observe(elements.filter((element) => this.#followed.has(element))));
      return;
    }
    for (const element of elements) this.#sizes.observe(element);
  }

  #forgetElements(): void {
    this.#sizes.disconnect();
    this.#followed.clear();
  }

  #inSight(): { readonly first: number; readonly end: number } {
    if (this.#count === 0) return { first: 0, end: 0 };
    const first = Math.max(0, this.rowAt(this.#offset) - OVERSCAN);
    const last = this.rowAt(this.#offset + this.#windowHeight) + OVERSCAN;
    return { first, end: Math.min(this.#count, last + 1) };
  }
}

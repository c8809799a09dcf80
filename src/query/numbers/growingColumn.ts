import { greatestOf } from '../../core/lists.js';
import type { Cells } from './cells.js';

/** What cells of whole numbers are kept in, the smallest first, and the largest number of each. */
const WIDTHS = [
  { Cells: Uint8Array, most: 2 ** 8 - 1 },
  { Cells: Uint16Array, most: 2 ** 16 - 1 },
  { Cells: Uint32Array, most: 2 ** 32 - 1 },
  { Cells: Float64Array, most: Number.POSITIVE_INFINITY },
] as const;

/**
 * A column of numbers that grows as needed; cells never set are 0. Of whole numbers that are not negative, in cells as
 * small as the largest of them allows, or of any numbers where it is made with `Float64Array`.
 */
export class GrowingColumn {
  #cells: Cells;
  readonly #isWhole: boolean;
  /** The largest number that fits into the cells as they are. */
  #most: number;

  constructor(capacity = 1024, cells: typeof Uint8Array | typeof Float64Array = Uint8Array) {
    this.#isWhole = cells !== Float64Array;
    this.#cells = new cells(capacity);
    this.#most = mostOf(this.#cells);
  }

  get(index: number): number {
    return this.#cells[index] ?? 0;
  }

  set(index: number, value: number): void {
    const { length } = this.#cells;
    if (index >= length || value > this.#most)
      this.#makeRoom(index < length ? length : Math.max(index + 1, length * 2), value);
    this.#cells[index] = value;
  }

  #makeRoom(length: number, value: number): void {
    const wider = value > this.#most ? WIDTHS.find(({ most }) => value <= most) : undefined;
    const larger = wider ? new wider.Cells(length) : emptyLike(this.#cells, length);
    larger.set(this.#cells);
    this.#cells = larger;
    this.#most = mostOf(larger);
  }

  /** Sets as many cells as there are numbers, from `index` on; of whole numbers where the column is. */
  setAll(index: number, numbers: Cells): void {
    const { length } = this.#cells;
    const end = index + numbers.length;
    const most = this.#isWhole ? mostOf(numbers) : 0;
    // A wider array need not have a number that needs its width.
    const value = most > this.#most ? greatestOf(numbers, 0) : 0;
    if (end > length || value > this.#most)
      this.#makeRoom(end > length ? Math.max(end, 2 * length) : length, value);
    this.#cells.set(numbers, index);
  }

  /** A copy of the first cells. */
  copy(length: number): Cells {
    const copy = emptyLike(this.#cells, length);
    copy.set(this.#cells.subarray(0, length));
    return copy;
  }

  /** Replaces all cells, by an array that is the column's own from then on. */
  replace(cells: Cells): void {
    this.#cells = this.#isWhole || cells instanceof Float64Array ? cells : Float64Array.from(cells);
    this.#most = mostOf(this.#cells);
  }
}

function emptyLike(cells: Cells, length: number): Cells {
  return new (cells.constructor as new (length: number) => Cells)(length);
}

function mostOf(cells: Cells): number {
  const width = WIDTHS.find(({ Cells }) => cells instanceof Cells);
  return width?.most ?? Number.POSITIVE_INFINITY;
}

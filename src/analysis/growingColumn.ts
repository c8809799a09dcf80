/** The arrays that a column may keep its cells in. */
export type Cells = Uint8Array | Uint32Array | Float64Array;

/** A column of numbers that grows as needed; cells never set are 0. By default of whole numbers below 2^32. */
export class GrowingColumn {
  #cells: Cells;
  readonly #Cells: new (capacity: number) => Cells;

  constructor(capacity = 1024, cells: new (capacity: number) => Cells = Uint32Array) {
    this.#Cells = cells;
    this.#cells = new cells(capacity);
  }

  get(index: number): number {
    return this.#cells[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#cells.length) {
      const larger = new this.#Cells(Math.max(index + 1, this.#cells.length * 2));
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells[index] = value;
  }

  /** A copy of the first cells. */
  copy(length: number): Cells {
    const copy = new this.#Cells(length);
    copy.set(this.#cells.subarray(0, length));
    return copy;
  }

  /** Replaces all cells. */
  replace(cells: ArrayLike<number>): void {
    this.#cells = new this.#Cells(cells.length);
    this.#cells.set(cells);
  }
}

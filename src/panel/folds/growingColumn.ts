/** A column of whole numbers below 2^32 that grows by itself; what was never set is 0. */
export class GrowingColumn {
  #cells: Uint32Array;

  constructor(capacity = 1024) {
    this.#cells = new Uint32Array(capacity);
  }

  get(index: number): number {
    return this.#cells[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#cells.length) {
      const larger = new Uint32Array(Math.max(index + 1, this.#cells.length * 2));
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells[index] = value;
  }
}

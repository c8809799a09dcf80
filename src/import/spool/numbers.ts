const FIRST_SIZE = 1024;

/** How much longer a full list becomes: what is not used yet is memory too, and there are many lists. */
const GROWTH = 1.5;

/** The largest number that takes four bytes. */
const MAX_SHORT = 0x7fffffff;

/** A list of whole numbers from -1 up, at four bytes each, at eight once one needs them, however many there are. */
export class Numbers {
  #values: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> = new Int32Array(FIRST_SIZE);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number at an index; -1 where there is none. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? -1) : -1;
  }

  push(value: number): void {
    this.#reach(this.#length + 1, value);
    this.#values[this.#length++] = value;
  }

  /** Sets the number at an index; where the list was shorter, those between are -1. */
  set(index: number, value: number): void {
    this.#reach(index + 1, value);
    if (index >= this.#length) {
      this.#values.fill(-1, this.#length, index);
      this.#length = index + 1;
    }
    this.#values[index] = value;
  }

  /** The index of the first of these ascending numbers that is not below `value`. */
  firstFrom(value: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#values[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes room for a number in a list of a length. */
  #reach(length: number, value: number): void {
    const before = this.#values;
    const isWide = before instanceof Float64Array || value > MAX_SHORT;
    if (length <= before.length && isWide === before instanceof Float64Array) return;
    const size =
      length <= before.length ? before.length : Math.max(length, Math.ceil(before.length * GROWTH));
    const larger = isWide ? new Float64Array(size) : new Int32Array(size);
    larger.set(before.subarray(0, this.#length));
    this.#values = larger;
  }
}

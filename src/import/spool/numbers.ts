const FIRST_SIZE = 1024;

/** How much longer a full list becomes: what is not used yet is memory too, and there are many lists. */
const GROWTH = 1.5;

/** A list of numbers at eight bytes each, however many there are. */
export class Numbers {
  #values = new Float64Array(FIRST_SIZE);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number at an index; -1 where there is none. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? -1) : -1;
  }

  push(value: number): void {
    this.#reach(this.#length + 1);
    this.#values[this.#length++] = value;
  }

  /** Sets the number at an index; where the list was shorter, those between are -1. */
  set(index: number, value: number): void {
    this.#reach(index + 1);
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

  #reach(length: number): void {
    if (length <= this.#values.length) return;
    const larger = new Float64Array(Math.max(length, Math.ceil(this.#values.length * GROWTH)));
    larger.set(this.#values);
    this.#values = larger;
  }
}

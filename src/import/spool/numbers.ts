/** How many numbers a block holds at most; what a full list adds is a block, so that nothing is copied or left unused. */
const BLOCK = 1 << 14;
const FIRST_BLOCK = 16;

/** The largest number that takes four bytes. */
const MAX_SHORT = 0x7fffffff;

type Block = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** A list of whole numbers from -1 up, at four bytes each, at eight in blocks where one needs them, however many there are. */
export class Numbers {
  readonly #blocks: Block[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** How many bytes it takes. */
  get bytes(): number {
    return this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The number at an index; -1 where there is none. */
  at(index: number): number {
    if (index < 0 || index >= this.#length) return -1;
    return this.#blocks[Math.floor(index / BLOCK)]?.[index % BLOCK] ?? -1;
  }

  push(value: number): void {
    this.#put(this.#length++, value);
  }

  /** Sets the number at an index; where the list was shorter, those between are -1. */
  set(index: number, value: number): void {
    while (this.#length < index) this.push(-1);
    if (index === this.#length) this.#length++;
    this.#put(index, value);
  }

  /** Takes the numbers from an index on out of the list. */
  cutFrom(index: number): number[] {
    const cut = Array.from({ length: Math.max(0, this.#length - index) }, (_, at) => this.at(index + at));
    this.#length -= cut.length;
    return cut;
  }

  /** The index of the first of these ascending numbers that is not below `value`. */
  firstFrom(value: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #put(index: number, value: number): void {
    const at = Math.floor(index / BLOCK);
    const before = this.#blocks[at];
    const isWide = before instanceof Float64Array || value > MAX_SHORT;
    const within = index % BLOCK;
    if (before && within < before.length && isWide === before instanceof Float64Array) {
      before[within] = value;
      return;
    }
    const isFirst = at === 0 && within < BLOCK / 2;
    const size = Math.max(before?.length ?? 0, isFirst ? Math.max(FIRST_BLOCK, within * 2) : BLOCK);
    const larger = isWide ? new Float64Array(size) : new Int32Array(size);
    if (before) larger.set(before);
    larger[within] = value;
    this.#blocks[at] = larger;
  }
}

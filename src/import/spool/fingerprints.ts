/** The smallest table, in slots: most sets are of the few lines of one record. */
const FIRST_SLOTS = 16;

/** The slots of all that are empty: mostly one stays so, and there is one for each record. */
const NONE = new Float64Array(1);

/**
 * A set of texts of which only a fingerprint of 53 bits is kept: 16 to 32 bytes each, however long they are. Two
 * different texts have the same one once in about 10^16 comparisons.
 */
export class Fingerprints {
  #slots = NONE;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(text: string): void {
    if (this.#slots === NONE) this.#slots = new Float64Array(FIRST_SLOTS);
    this.#put(fingerprint(text));
    if (this.#size * 2 > this.#slots.length) this.#grow();
  }

  has(text: string): boolean {
    const print = fingerprint(text);
    return this.#slots[this.#slotOf(print)] === print;
  }

  #put(print: number): void {
    const slot = this.#slotOf(print);
    if (this.#slots[slot] === print) return;
    this.#slots[slot] = print;
    this.#size++;
  }

  /** The slot that holds a fingerprint, or the free one where it belongs. */
  #slotOf(print: number): number {
    const mask = this.#slots.length - 1;
    let slot = (print % 0x100000000) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== print) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    this.#size = 0;
    for (const print of before) if (print !== 0) this.#put(print);
  }
}

/** Two hashes of 32 and 21 bits as one number, which is never 0. */
export function fingerprint(text: string): number {
  let a = 0x811c9dc5;
  let b = text.length | 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a ^= a >>> 15;
  a = Math.imul(a, 0x2c1b3c6d) ^ (a >>> 12);
  return (b >>> 11) * 0x100000000 + (a >>> 0) || 1;
}

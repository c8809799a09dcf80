import { fingerprint } from './fingerprints.js';
import { Numbers } from './numbers.js';

const FIRST_SLOTS = 64;

/** Which part of the slots may be filled: fuller ones take longer to search, emptier ones more memory. */
const MAX_FILLED = 0.75;

/**
 * Numbers for very many texts, like ids, from 0 up in the order in which they come. The texts are not held: each takes 13 to
 * 19 bytes. Two texts with one fingerprint, of about 10^16, have one number.
 */
export class KnownTexts {
  readonly #prints = new Numbers();
  /** One more than the number of a text, at the slot of its fingerprint; 0 where there is none. */
  #slots = new Int32Array(FIRST_SLOTS);

  /** How many there are. */
  get size(): number {
    return this.#prints.length;
  }

  /** How many bytes it takes. */
  get bytes(): number {
    return this.#prints.bytes + this.#slots.byteLength;
  }

  /** The number of a text; -1 where it has none. */
  numberOf(text: string): number {
    return (this.#slots[this.#slotOf(fingerprint(text))] ?? 0) - 1;
  }

  /** The number of a text, which is the `size` before where it is a new one. */
  add(text: string): number {
    const print = fingerprint(text);
    const slot = this.#slotOf(print);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    this.#prints.push(print);
    this.#slots[slot] = this.size;
    if (this.size > this.#slots.length * MAX_FILLED) this.#grow();
    return this.size - 1;
  }

  #slotOf(print: number): number {
    const mask = this.#slots.length - 1;
    let slot = (print % 0x100000000) & mask;
    for (
      let at = this.#slots[slot] ?? 0;
      at > 0 && this.#prints.at(at - 1) !== print;
      at = this.#slots[slot] ?? 0
    )
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let at = 0; at < this.size; at++) this.#slots[this.#slotOf(this.#prints.at(at))] = at + 1;
  }
}

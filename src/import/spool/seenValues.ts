import type { Entry } from '../entries.js';
import { fingerprint } from '../rest/fingerprints.js';
import type { SourceOfEntries } from './raws.js';

const FIRST_SLOTS = 1024;

/** Which part of the slots may be filled: fuller ones take longer to search, emptier ones more memory. */
const MAX_FILLED = 0.75;

/**
 * The latest value of a file under each of very many ids. Values on the disk are not held but read again; each id takes 27
 * to 53 bytes. Two ids with one fingerprint, of about 10^16, take each other's place: whoever asks compares the values.
 */
export class SeenValues {
  #prints = new Float64Array(FIRST_SLOTS);
  /** The offset of a value on the disk, or the number of a held one, from -1 down. */
  #places = new Float64Array(FIRST_SLOTS);
  #lengths = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  readonly #held: unknown[] = [];

  /** Puts a value in the place of the one before it under the same id; gives what reads that one, undefined where there was none. */
  put(
    id: string,
    { value, offset, length = 0 }: Entry,
    source: SourceOfEntries | undefined,
  ): (() => unknown) | undefined {
    const print = fingerprint(id);
    const slot = this.#slotOf(print);
    const isKnown = this.#prints[slot] === print;
    const [place = 0, size = 0] = [this.#places[slot], this.#lengths[slot]];
    this.#prints[slot] = print;
    this.#places[slot] = source && offset !== undefined ? offset : -this.#held.push(value);
    this.#lengths[slot] = length;
    if (isKnown) return () => (place < 0 ? this.#held[-place - 1] : source?.valueAt(place, size));
    if (++this.#size > this.#prints.length * MAX_FILLED) this.#grow();
    return undefined;
  }

  #slotOf(print: number): number {
    const mask = this.#prints.length - 1;
    let slot = (print % 0x100000000) & mask;
    while (this.#prints[slot] !== 0 && this.#prints[slot] !== print) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [prints, places, lengths] = [this.#prints, this.#places, this.#lengths];
    this.#prints = new Float64Array(prints.length * 2);
    this.#places = new Float64Array(prints.length * 2);
    this.#lengths = new Uint32Array(prints.length * 2);
    for (const [at, print] of prints.entries()) {
      if (print === 0) continue;
      const slot = this.#slotOf(print);
      this.#prints[slot] = print;
      this.#places[slot] = places[at] ?? 0;
      this.#lengths[slot] = lengths[at] ?? 0;
    }
  }
}

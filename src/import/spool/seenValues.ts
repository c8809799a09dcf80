import type { Entry, SourceOfEntries } from '../reading/entries.js';
import { KnownTexts } from './knownTexts.js';
import { Numbers } from './numbers.js';

/**
 * The latest value of a file under each of very many ids. Values on the disk are not held but read again; each id takes 21
 * to 31 bytes. Two ids with one fingerprint, of about 10^16, take each other's place: whoever asks compares the values.
 */
export class SeenValues {
  readonly #ids = new KnownTexts();
  /** The offset of each value on the disk; of one that is held, -1. */
  readonly #offsets = new Numbers();
  /** The length of each value on the disk; of one that is held, its number among these. */
  readonly #lengths = new Numbers();
  readonly #held: unknown[] = [];

  /** How many bytes it takes for values on the disk. */
  get bytes(): number {
    return this.#ids.bytes + this.#offsets.bytes + this.#lengths.bytes;
  }

  /** Puts a value in the place of the one before it under the same id; gives what reads that one, undefined where there was none. */
  put(
    id: string,
    { value, offset, length = 0 }: Entry,
    source: SourceOfEntries | undefined,
  ): (() => unknown) | undefined {
    const { size: before } = this.#ids;
    const number = this.#ids.add(id);
    const [position, size] = [this.#offsets.at(number), this.#lengths.at(number)];
    const isOnDisk = source !== undefined && offset !== undefined;
    this.#offsets.set(number, isOnDisk ? offset : -1);
    this.#lengths.set(number, isOnDisk ? length : this.#held.push(value) - 1);
    if (number === before) return undefined;
    return () => (position < 0 ? this.#held[size] : source?.valueAt(position, size));
  }
}

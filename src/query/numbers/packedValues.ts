import { PackedNumbers } from './packedNumbers.js';

/** A list of values to which more are added and of which many are the same: each is kept once, in its place a number. */
export class PackedValues<Value> {
  readonly #values: Value[] = [];
  readonly #numbers = new Map<Value, number>();
  readonly #list = new PackedNumbers();

  get length(): number {
    return this.#list.length;
  }

  push(value: Value): void {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    this.#list.push(number);
  }

  /** The value at an index; undefined where there is none. */
  at(index: number): Value | undefined {
    return index >= 0 && index < this.length ? this.#values[this.#list.at(index)] : undefined;
  }
}

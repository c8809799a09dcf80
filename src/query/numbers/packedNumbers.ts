import { cellsOf, type Cells } from './cells.js';

/** How many numbers are packed together. */
const CHUNK = 4_096;
/** For so many there is room at first: most lists are short, and there are many. */
const FIRST = 16;

interface Chunk {
  /** What is taken off each number. */
  readonly least: number;
  /** Absent where all are alike. */
  readonly cells: Cells | undefined;
}

/** A list of numbers to which more are added, in as few bytes as those beside each other need; none of them changes. */
export class PackedNumbers {
  readonly #chunks: Chunk[] = [];
  #last = new Float64Array(FIRST);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    const at = this.#length++ % CHUNK;
    if (at === this.#last.length) this.#last = grown(this.#last);
    this.#last[at] = number;
    if (at + 1 === CHUNK) this.#chunks.push(packed(this.#last));
  }

  /** The number at an index; 0 where there is none. */
  at(index: number): number {
    if (!(index >= 0 && index < this.#length)) return 0;
    const chunk = this.#chunks[Math.floor(index / CHUNK)];
    const at = index % CHUNK;
    return chunk ? chunk.least + (chunk.cells?.[at] ?? 0) : (this.#last[at] ?? 0);
  }
}

function grown(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.min(CHUNK, numbers.length * 4));
  larger.set(numbers);
  return larger;
}

function packed(numbers: Float64Array): Chunk {
  const [first = 0] = numbers;
  if (!numbers.every(Number.isSafeInteger)) return { least: 0, cells: new Float64Array(numbers) };
  let [least, most] = [first, first];
  for (const number of numbers) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  if (!Number.isSafeInteger(most - least)) return { least: 0, cells: new Float64Array(numbers) };
  return { least, cells: cellsOf(numbers.map((number) => number - least)) };
}

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

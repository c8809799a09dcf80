import type { RequestCost } from '../../core/cost.js';
import { PackedNumbers } from './packedNumbers.js';
import { SpentByRecord, type Spent } from './spentByRecord.js';
import type { Reading } from './transcriptReader.js';

/** What a transcript cost, by when each request ended; the sum of all is the number of every view. */
export class SpentByTime {
  readonly #spent = new SpentByRecord();
  readonly #times = new PackedNumbers();
  #last = 0;

  /** Adds a record; `cost` is what `addRequest` gave for it. */
  add(reading: Reading, cost: RequestCost | undefined): void {
    this.#spent.add(reading, cost);
    // What tells no time came after what stands before it.
    this.#last = reading.facts.time || this.#last;
    this.#times.push(this.#last);
  }

  /** Visits what was spent, with its time in milliseconds since 1970, 0 where none is known. */
  each(visit: (time: number, spent: Spent) => void): void {
    const spent = this.#spent.finish();
    for (let position = 0; position < this.#times.length; position++) {
      const each = spent.get(position);
      if (each) visit(this.#times.at(position), each);
    }
  }
}

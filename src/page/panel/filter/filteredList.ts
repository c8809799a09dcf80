import { firstAtLeast } from '../../../query/columns/firstAtLeast.js';
import type { ListChange } from '../../protocol/events.js';

/** How many new rows are reported individually. */
const MAX_FRESH = 1_000;

/** The rows that pass a filter, in the order of the transcript, whatever dispatch they belong to. */
export class FilteredList {
  /** The rows in order, as of the last `grow`. */
  #rows = new Uint32Array(0);
  #length = 0;
  #marks = new Uint8Array(1024);
  #marked = 0;
  #fresh: number[] = [];
  /** The first row that was added since the last `grow`: all before it stand where they stood. */
  #firstFresh = Number.POSITIVE_INFINITY;

  get length(): number {
    return this.#length;
  }

  slice(start: number, end: number): readonly number[] {
    return Array.from(this.#rows.subarray(start, Math.min(end, this.#length)));
  }

  indexOf(row: number): number {
    const at = positionOf(row, this.#rows, this.#length);
    return at < this.#length && this.#rows[at] === row ? at : -1;
  }

  /** Adds a row; it is in the list after the next `grow`. */
  add(row: number): void {
    if (row >= this.#marks.length) this.#marks = moreOf(this.#marks, new Uint8Array(2 * row));
    if (this.#marks[row] === 1) return;
    this.#marks[row] = 1;
    this.#marked++;
    if (row < this.#firstFresh) this.#firstFresh = row;
    if (this.#fresh.length <= MAX_FRESH) this.#fresh.push(row);
  }

  /** Inserts the added rows; gives the changes in the order to be applied, or undefined where there are too many. */
  grow(): readonly ListChange[] | undefined {
    const fresh = this.#fresh.sort((a, b) => a - b);
    const isMuch = fresh.length > MAX_FRESH;
    const old = this.#length;
    const changes = isMuch ? undefined : insertions(fresh, this.#rows, old);
    const first = this.#firstFresh;
    this.#fresh = [];
    this.#firstFresh = Number.POSITIVE_INFINITY;
    this.#length = this.#marked;
    if (this.#rows.length < this.#marked) this.#rows = moreOf(this.#rows, new Uint32Array(2 * this.#marked));
    if (fresh.length > 0)
      gather(this.#marks, first, this.#rows.subarray(positionOf(first, this.#rows, old), this.#length));
    return changes;
  }
}

/** The changes by which new rows are inserted among the old ones; adjacent ones are one change. */
function insertions(fresh: readonly number[], rows: Uint32Array, length: number): ListChange[] {
  const changes: ListChange[] = [];
  fresh.forEach((row, before) => {
    const at = positionOf(row, rows, length) + before;
    const last = changes.at(-1);
    if (last && last.at + last.inserted === at) {
      changes[changes.length - 1] = { ...last, inserted: last.inserted + 1 };
    } else changes.push({ at, removed: 0, inserted: 1 });
  });
  return changes;
}

/** How many of the first `length` ascending numbers are less than `number`. */
function positionOf(number: number, numbers: Uint32Array, length: number): number {
  return firstAtLeast(numbers.subarray(0, length), number);
}

/**
 * Fills `rows` with those that are marked from `first` on. Branchless, because an unpredictable branch would cost more than
 * everything else here.
 */
function gather(marks: Uint8Array, first: number, rows: Uint32Array): void {
  let at = 0;
  for (let row = first; at < rows.length; row++) {
    rows[at] = row;
    at += marks[row] ?? 1;
  }
}

function moreOf<Numbers extends Uint8Array | Uint32Array>(numbers: Numbers, more: Numbers): Numbers {
  more.set(numbers);
  return more;
}

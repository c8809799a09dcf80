import { shiftIndex, type Shift } from './shiftRows.js';

/** The assumed height of a row until it is rendered, in pixels; equal for all rows, so that sums need no rows. */
export const ESTIMATE = 64;

/** How many rows share one sum of heights. */
const BLOCK = 1_024;

/**
 * The heights of a list's rows in pixels, as far as they were drawn, and where each row begins. A question costs about as
 * much as one block has rows, however long the list is.
 */
export class RowHeights {
  readonly #measured = new Map<number, number>();
  /** By how much the rows of a block are higher than was estimated, taken together. */
  readonly #surplus = new Map<number, number>();

  of(row: number): number {
    return this.#measured.get(row) ?? ESTIMATE;
  }

  /** Undefined where the row was not drawn yet. */
  measured(row: number): number | undefined {
    return this.#measured.get(row);
  }

  set(row: number, height: number): void {
    const block = Math.floor(row / BLOCK);
    this.#surplus.set(block, (this.#surplus.get(block) ?? 0) + height - this.of(row));
    this.#measured.set(row, height);
  }

  /** The height of all rows before this one. */
  before(row: number): number {
    const block = Math.floor(row / BLOCK);
    let sum = row * ESTIMATE;
    for (const [at, surplus] of this.#surplus) if (at < block) sum += surplus;
    for (let at = block * BLOCK; at < row; at++) sum += this.of(at) - ESTIMATE;
    return sum;
  }

  /** The row of so many that lies `offset` below the top of the first one; the nearest where none does. */
  at(offset: number, rows: number): number {
    let top = 0;
    let row = 0;
    for (; row < rows; row += BLOCK) {
      const height = BLOCK * ESTIMATE + (this.#surplus.get(row / BLOCK) ?? 0);
      if (top + height > offset) break;
      top += height;
    }
    while (row < rows && top + this.of(row) <= offset) top += this.of(row++);
    return Math.max(0, Math.min(row, rows - 1));
  }

  /** Takes each height to where its row stands now; what stands before the first row is no longer of this list. */
  shift(changes: readonly Shift[]): void {
    const before = [...this.#measured];
    this.clear();
    for (const [row, height] of before) {
      const now = shiftIndex(row, changes);
      if (now !== undefined && now >= 0) this.set(now, height);
    }
  }

  clear(): void {
    this.#measured.clear();
    this.#surplus.clear();
  }
}

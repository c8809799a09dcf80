import type { ListChange } from '../rows/rowList.js';

/** The rows that a filter lets through, in the order of the transcript, whatever dispatch they belong to. */
export class FilteredList {
  #rows: number[] = [];
  readonly #known = new Set<number>();
  #fresh: number[] = [];

  get length(): number {
    return this.#rows.length;
  }

  slice(start: number, end: number): readonly number[] {
    return this.#rows.slice(start, end);
  }

  indexOf(row: number): number {
    return this.#rows.indexOf(row);
  }

  /** Adds rows; they are in the list after the next `grow`. */
  add(rows: readonly number[]): void {
    for (const row of rows) {
      if (this.#known.has(row)) continue;
      this.#known.add(row);
      this.#fresh.push(row);
    }
  }

  /** Takes in what was added; what changed, in the order in which it must be applied. */
  grow(): ListChange[] {
    const fresh = this.#fresh.sort((a, b) => a - b);
    this.#fresh = [];
    const changes: ListChange[] = [];
    const merged: number[] = [];
    let old = 0;
    for (const row of fresh) {
      for (let next = this.#rows[old]; next !== undefined && next < row; next = this.#rows[++old])
        merged.push(next);
      const last = changes.at(-1);
      if (last && last.at + last.inserted === merged.length) {
        changes[changes.length - 1] = { ...last, inserted: last.inserted + 1 };
      } else changes.push({ at: merged.length, removed: 0, inserted: 1 });
      merged.push(row);
    }
    if (fresh.length > 0) this.#rows = merged.concat(this.#rows.slice(old));
    return changes;
  }
}

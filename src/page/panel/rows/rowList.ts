import type { CallNode } from '../../../query/numbers/callTree.js';
import type { ListChange } from '../../protocol/events.js';
import { ROW, type RowIndex } from './rowIndex.js';

/**
 * The rows that the list shows, top to bottom: the main line and, below each expanded dispatch, the rows of the call that
 * it started. New rows never reorder the others.
 */
export class RowList {
  #rows: number[] = [];
  #taken = 0;
  /** Dispatches that differ from `#expandedAll`. */
  #exceptions: Set<number>;
  #expandedAll: boolean;
  #showsRaw: boolean;
  readonly #index: RowIndex;

  constructor(index: RowIndex, expanded: readonly number[] = [], expandedAll = false, showsRaw = false) {
    this.#index = index;
    this.#showsRaw = showsRaw;
    this.#expandedAll = expandedAll;
    this.#exceptions = new Set(expanded);
  }

  get length(): number {
    return this.#rows.length;
  }

  get expandedAll(): boolean {
    return this.#expandedAll;
  }

  /** Whether rows of raw events are part of the list. */
  get showsRaw(): boolean {
    return this.#showsRaw;
  }

  slice(start: number, end: number): readonly number[] {
    return this.#rows.slice(start, end);
  }

  isExpanded(dispatch: number): boolean {
    return this.#expandedAll !== this.#exceptions.has(dispatch);
  }

  /** The index of a row; -1 where a collapsed dispatch hides it. */
  indexOf(row: number): number {
    // Rows of one call ascend, but concurrent calls interleave, so binary search is not possible.
    return this.#rows.indexOf(row);
  }

  /** Adds the new rows of the index; gives the changes in the order to be applied. */
  grow(): ListChange[] {
    const first = this.#taken;
    const rows = this.#index.length;
    this.#taken = rows;
    const at = this.#rows.length;
    for (let row = first; row < rows; row++) {
      const call = this.#index.callOf(row);
      if (this.#isFolded(row)) continue;
      const owner = call && this.#index.ownerOf(call);
      if (!call || (owner !== undefined && !this.#isShown(owner))) continue;
      if (!this.#endsWith(call)) {
        this.#rows = this.#flatten();
        return insertions(this.#rows, first);
      }
      this.#rows.push(row);
    }
    return this.#rows.length > at ? [{ at, removed: 0, inserted: this.#rows.length - at }] : [];
  }

  /** Whether the list ends with this call or with a call below it, so that its next row comes last. */
  #endsWith(call: CallNode): boolean {
    const owner = this.#index.ownerOf(call);
    if (owner === undefined) return true;
    const last = this.#rows.at(-1);
    if (last === undefined) return false;
    if (last === owner) return true;
    let above: number | undefined = last;
    while (above !== undefined && this.#index.callOf(above) !== call) above = this.#ownerOfRow(above);
    return above !== undefined;
  }

  /** Shows or hides the rows of the call that a dispatch started. */
  setExpanded(dispatch: number, expanded: boolean): ListChange[] {
    if (this.#index.kind(dispatch) !== ROW.dispatch || this.isExpanded(dispatch) === expanded) return [];
    if (expanded === this.#expandedAll) this.#exceptions.delete(dispatch);
    else this.#exceptions.add(dispatch);
    const before = this.#rows.length;
    const at = this.indexOf(dispatch) + 1;
    if (at === 0) return [];
    this.#rows = this.#flatten();
    const grown = this.#rows.length - before;
    if (grown === 0) return [];
    return [grown > 0 ? { at, removed: 0, inserted: grown } : { at, removed: -grown, inserted: 0 }];
  }

  /** Expands or collapses all dispatches, including future ones. The list is then a new one. */
  setExpandedAll(expanded: boolean): void {
    this.#expandedAll = expanded;
    this.#exceptions = new Set();
    this.#rows = this.#flatten();
  }

  /** Shows or hides the rows of raw events. The list is then a new one. */
  setShowsRaw(shows: boolean): void {
    this.#showsRaw = shows;
    this.#rows = this.#flatten();
  }

  #isFolded(row: number): boolean {
    return !this.#showsRaw && this.#index.kind(row) === ROW.raw;
  }

  /** Expands whatever hides a row; gives the changes, the dispatches expanded, and the row's index. */
  reveal(row: number): { changes: ListChange[]; opened: number[]; index: number } {
    const owners: number[] = [];
    for (let owner = this.#ownerOfRow(row); owner !== undefined; owner = this.#ownerOfRow(owner)) {
      owners.push(owner);
    }
    const opened = owners.reverse().filter((owner) => !this.isExpanded(owner));
    const changes = opened.flatMap((owner) => this.setExpanded(owner, true));
    return { changes, opened, index: this.indexOf(row) };
  }

  /** The dispatch that the call of a row was started by. */
  #ownerOfRow(row: number): number | undefined {
    const call = this.#index.callOf(row);
    return call && this.#index.ownerOf(call);
  }

  /** Whether this dispatch and all above it are expanded. */
  #isShown(dispatch: number): boolean {
    let owner: number | undefined = dispatch;
    while (owner !== undefined) {
      if (!this.isExpanded(owner)) return false;
      owner = this.#ownerOfRow(owner);
    }
    return true;
  }

  #flatten(): number[] {
    const owned = this.#ownedCalls();
    const flat: number[] = [];
    const stack: { rows: readonly number[]; next: number }[] = [{ rows: this.#mainLine(), next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const row = top.rows[top.next++];
      if (row === undefined) {
        stack.pop();
        continue;
      }
      if (!this.#isFolded(row)) flat.push(row);
      const child = owned.get(row);
      if (child && this.isExpanded(row)) stack.push({ rows: child, next: 0 });
    }
    return flat;
  }

  /** The rows of all calls without a dispatch, in the order of the transcript. */
  #mainLine(): number[] {
    const main: number[] = [];
    for (let row = 0; row < this.#taken; row++) {
      if (this.#ownerOfRow(row) === undefined) main.push(row);
    }
    return main;
  }

  #ownedCalls(): Map<number, readonly number[]> {
    const owned = new Map<number, readonly number[]>();
    for (const call of this.#index.calls.all) {
      const owner = this.#index.ownerOf(call);
      if (owner === undefined) continue;
      const rows = this.#index.rowsOf(call);
      owned.set(owner, this.#taken === this.#index.length ? rows : upTo(rows, this.#taken));
    }
    return owned;
  }
}

/** The rows below `limit`; `rows` ascends. */
function upTo(rows: readonly number[], limit: number): readonly number[] {
  const last = rows.findLastIndex((row) => row < limit);
  return rows.slice(0, last + 1);
}

/** The runs of rows from `first` on, which are the new ones, because row numbers ascend. */
function insertions(rows: readonly number[], first: number): ListChange[] {
  const changes: ListChange[] = [];
  let run = 0;
  for (let at = 0; at <= rows.length; at++) {
    const row = rows[at];
    if (row !== undefined && row >= first) {
      run++;
      continue;
    }
    if (run > 0) changes.push({ at: at - run, removed: 0, inserted: run });
    run = 0;
  }
  return changes;
}

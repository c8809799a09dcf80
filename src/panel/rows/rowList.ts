import type { CallNode } from '../folds/callTree.js';
import { ROW, type RowIndex } from './rowIndex.js';

/** A stretch of the list that became another: `removed` rows at `at` went, then `inserted` came. */
export interface ListChange {
  readonly at: number;
  readonly removed: number;
  readonly inserted: number;
}

/**
 * The rows that the list shows, top to bottom: the main line, and below each dispatch that is expanded the rows
 * of the call that it began. New rows never move the others apart from making room for themselves.
 */
export class RowList {
  #rows: number[] = [];
  #taken = 0;
  /** Dispatches that differ from `#expandedAll`. */
  #exceptions: Set<number>;
  #expandedAll: boolean;
  readonly #index: RowIndex;

  constructor(index: RowIndex, expanded: readonly number[] = [], expandedAll = false) {
    this.#index = index;
    this.#expandedAll = expandedAll;
    this.#exceptions = new Set(expanded);
  }

  get length(): number {
    return this.#rows.length;
  }

  get expandedAll(): boolean {
    return this.#expandedAll;
  }

  slice(start: number, end: number): readonly number[] {
    return this.#rows.slice(start, end);
  }

  isExpanded(dispatch: number): boolean {
    return this.#expandedAll !== this.#exceptions.has(dispatch);
  }

  /** Where a row stands, or -1 where a collapsed dispatch hides it. */
  indexOf(row: number): number {
    // Rows of one call ascend, but calls that run at the same time mix: no binary search over the whole.
    return this.#rows.indexOf(row);
  }

  /** Takes in the rows that the index has got since; what changed, in the order in which it must be applied. */
  grow(): ListChange[] {
    const first = this.#taken;
    const rows = this.#index.length;
    this.#taken = rows;
    const at = this.#rows.length;
    for (let row = first; row < rows; row++) {
      const call = this.#index.callOf(row);
      if (!call || (call.owner !== undefined && !this.#isShown(call.owner))) continue;
      if (!this.#endsWith(call)) {
        this.#rows = this.#flatten();
        return insertions(this.#rows, first);
      }
      this.#rows.push(row);
    }
    return this.#rows.length > at ? [{ at, removed: 0, inserted: this.#rows.length - at }] : [];
  }

  /** Whether the list ends with this call or what it dispatched, so that the call's next row comes last. */
  #endsWith(call: CallNode): boolean {
    if (call.owner === undefined) return true;
    const last = this.#rows.at(-1);
    if (last === undefined) return false;
    if (last === call.owner) return true;
    let above = this.#index.callOf(last);
    while (above && above !== call) above = above.parent;
    return above === call;
  }

  /** Shows or hides what a dispatch began. */
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

  /** Shows or hides what all dispatches began, those to come included. The whole list is another one then. */
  setExpandedAll(expanded: boolean): void {
    this.#expandedAll = expanded;
    this.#exceptions = new Set();
    this.#rows = this.#flatten();
  }

  /** Expands whatever hides a row; the changes, the dispatches that were expanded, and where the row stands now. */
  reveal(row: number): { changes: ListChange[]; opened: number[]; index: number } {
    const owners: number[] = [];
    for (let call = this.#index.callOf(row); call?.owner !== undefined; call = call.parent) {
      owners.push(call.owner);
    }
    const opened = owners.reverse().filter((owner) => !this.isExpanded(owner));
    const changes = opened.flatMap((owner) => this.setExpanded(owner, true));
    return { changes, opened, index: this.indexOf(row) };
  }

  /** Whether all dispatches above and including this one are expanded. */
  #isShown(dispatch: number): boolean {
    let owner: number | undefined = dispatch;
    while (owner !== undefined) {
      if (!this.isExpanded(owner)) return false;
      owner = this.#index.callOf(owner)?.owner;
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
      flat.push(row);
      const child = owned.get(row);
      if (child && this.isExpanded(row)) stack.push({ rows: child, next: 0 });
    }
    return flat;
  }

  /** The rows of all calls that no dispatch began, in the order of the transcript. */
  #mainLine(): number[] {
    const main: number[] = [];
    for (let row = 0; row < this.#taken; row++) {
      if (this.#index.callOf(row)?.owner === undefined) main.push(row);
    }
    return main;
  }

  #ownedCalls(): Map<number, readonly number[]> {
    const owned = new Map<number, readonly number[]>();
    for (const call of this.#index.calls.all) {
      if (call.owner === undefined) continue;
      owned.set(call.owner, this.#taken === this.#index.length ? call.rows : upTo(call.rows, this.#taken));
    }
    return owned;
  }
}

/** The rows below `limit`; `rows` ascends. */
function upTo(rows: readonly number[], limit: number): readonly number[] {
  const last = rows.findLastIndex((row) => row < limit);
  return rows.slice(0, last + 1);
}

/** The stretches of rows from `first` on: rows get ascending numbers, so these are the new ones. */
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

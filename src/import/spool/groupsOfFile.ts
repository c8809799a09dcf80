import { Chains } from './chains.js';
import { Numbers } from './numbers.js';

/** Which groups the values of a file have parts in, and which drafts were made of these; by numbers alone. */
export class GroupsOfFile {
  /** The groups of each value, and the last value that each group had a part of. */
  readonly #groups = new Chains();
  readonly #lastEntry = new Numbers();
  /** The number of the value that is being read. */
  entry = -1;
  /** As what each group was taken, see `Drafts.take`; more than once where others were read meanwhile. */
  readonly #takes = new Chains();
  readonly #leftOut = new Set<number>();
  #open: readonly number[] = [];

  /** The groups that are being read. */
  get open(): readonly number[] {
    return this.#open;
  }

  /** Notes that the value that is being read has a part in a group. */
  touch(group: number): void {
    if (this.#lastEntry.at(group) === this.entry) return;
    this.#lastEntry.set(group, this.entry);
    this.#groups.add(this.entry, group);
  }

  begin(groups: readonly number[], taken: number): void {
    this.#open = groups;
    for (const group of groups) this.#takes.add(group, taken);
  }

  leaveOut(groups: readonly number[]): void {
    for (const group of groups) this.#leftOut.add(group);
  }

  /** Whether some of a value, by its number in the file, was left out. */
  isLeftOut(entry: number): boolean {
    if (this.#leftOut.size === 0) return false;
    for (const group of this.#groups.of(entry)) if (this.#leftOut.has(group)) return true;
    return false;
  }

  /** As what the groups were taken that a value has parts in, by its number in the file. */
  *takesOf(entry: number): Generator<number> {
    for (const group of this.#groups.of(entry)) yield* this.#takes.of(group);
  }
}

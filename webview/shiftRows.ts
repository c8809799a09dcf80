/** A change of the list: at `at`, `removed` rows went, then `inserted` rows came. */
export interface Shift {
  readonly at: number;
  readonly removed: number;
  readonly inserted: number;
}

/** The index of a row after changes of the list; undefined where it was removed. */
export function shiftIndex(index: number, changes: readonly Shift[]): number | undefined {
  let shifted = index;
  for (const { at, removed, inserted } of changes) {
    if (shifted < at) continue;
    if (shifted < at + removed) return undefined;
    shifted += inserted - removed;
  }
  return shifted;
}

/** A map by index after changes of the list. */
export function shiftRows<T>(
  known: ReadonlyMap<number, T>,
  changes: readonly Shift[],
): ReadonlyMap<number, T> {
  if (changes.length === 0) return known;
  const shifted = new Map<number, T>();
  for (const [index, value] of known) {
    const next = shiftIndex(index, changes);
    if (next !== undefined) shifted.set(next, value);
  }
  return shifted;
}

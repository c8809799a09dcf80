/** A stretch of the list that became another: `removed` rows at `at` went, then `inserted` came. */
export interface Shift {
  readonly at: number;
  readonly removed: number;
  readonly inserted: number;
}

/** Where something stands after the list changed; undefined where it went. */
export function shiftIndex(index: number, changes: readonly Shift[]): number | undefined {
  let shifted = index;
  for (const { at, removed, inserted } of changes) {
    if (shifted < at) continue;
    if (shifted < at + removed) return undefined;
    shifted += inserted - removed;
  }
  return shifted;
}

/** What is known by index, after the list changed. */
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

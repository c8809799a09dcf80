/**
 * Appends `more` to `list`, however long it is: `list.push(...more)` puts each item on the stack and throws a RangeError
 * from about 120,000 on.
 */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

/** The greatest of `numbers`, or `least` where that is greater or there is none. */
export function greatestOf(numbers: Iterable<number>, least: number): number {
  let greatest = least;
  for (const number of numbers) if (number > greatest) greatest = number;
  return greatest;
}

/** The smallest of `numbers`, or `most` where that is smaller or there is none. */
export function smallestOf(numbers: Iterable<number>, most: number): number {
  let smallest = most;
  for (const number of numbers) if (number < smallest) smallest = number;
  return smallest;
}

/** Adds a value to the list of a key, which begins with the first. */
export function addTo<Key, T>(lists: Map<Key, T[]>, key: Key, value: T): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

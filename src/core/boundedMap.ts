/** The oldest keys that a map or a set must give up to have at most `max` entries. */
export function oldestBeyond<K>(entries: Pick<ReadonlySet<K>, 'size' | 'keys'>, max: number): K[] {
  const excess = entries.size - max;
  if (excess <= 0) return [];
  const found: K[] = [];
  for (const key of entries.keys()) {
    if (found.length >= excess) break;
    found.push(key);
  }
  return found;
}

/** Deletes the oldest entries of a map or a set until it has at most `max`. */
export function evictOldest<K>(
  entries: Pick<ReadonlySet<K>, 'size' | 'keys'> & { delete(key: K): boolean },
  max: number,
): void {
  for (const key of oldestBeyond(entries, max)) entries.delete(key);
}

/** A map of at most `max` entries: what is set becomes the newest, and the oldest is forgotten. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  /**
   * Stands before the oldest entry. Kept, because one that begins anew goes past all that was deleted since the engine last
   * tidied up: half of `max` for each entry that is set.
   */
  #oldest = this.keys();

  constructor(max: number, entries: Iterable<readonly [K, V]> = []) {
    super();
    this.#max = max;
    for (const [key, value] of entries) this.set(key, value);
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    while (this.size > this.#max) this.delete(this.#takeOldest());
    return this;
  }

  #takeOldest(): K {
    let next = this.#oldest.next();
    // Once at its end, it stays there whatever is added.
    if (next.done === true) next = (this.#oldest = this.keys()).next();
    return next.value as K;
  }

  /** The value of a key, which thereby becomes the newest; made where there is none. */
  use(key: K, make: () => V): V {
    const value = this.has(key) ? (this.get(key) as V) : make();
    this.set(key, value);
    return value;
  }
}

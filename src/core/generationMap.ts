/**
 * A map that remembers at least the latest `limit` keys, and at most twice as many. The older ones are forgotten all at once,
 * because deleting a map's oldest entry again and again makes every further one slower.
 */
export class GenerationMap<K, V> {
  readonly #limit: number;
  #young = new Map<K, V>();
  #old: Map<K, V> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of keys that are remembered; one that was set anew may count twice. */
  get size(): number {
    return this.#young.size + (this.#old?.size ?? 0);
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old?.get(key);
  }

  /** Sets a value, which thereby becomes one of the latest. */
  set(key: K, value: V): void {
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old?.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old = undefined;
  }
}

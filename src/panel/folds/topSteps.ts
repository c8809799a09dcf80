/** Keeps the `limit` entries with the largest weights; of equals, the earliest. */
export class TopSteps<T> {
  readonly #kept: { readonly weight: number; readonly value: T }[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Offers an entry; `make` is called only if it is kept. */
  offer(weight: number, make: () => T): void {
    const last = this.#kept.at(-1);
    if (this.#kept.length >= this.#limit && last && last.weight >= weight) return;
    const at = this.#kept.findIndex((each) => each.weight < weight);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, { weight, value: make() });
    if (this.#kept.length > this.#limit) this.#kept.pop();
  }

  list(): T[] {
    return this.#kept.map(({ value }) => value);
  }
}

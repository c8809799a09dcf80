/** Keeps the `limit` largest of what it is offered; of equals, those that came first. */
export class TopSteps<T> {
  readonly #kept: { readonly weight: number; readonly value: T }[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `make` is only called for what is kept. */
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

/** A growing set of durations in milliseconds, with percentiles that are cheap to ask for repeatedly. */
export class Durations {
  /** The durations that were sorted at the last question. */
  #sorted = new Float64Array();
  #fresh: number[] = [];
  total = 0;

  get count(): number {
    return this.#sorted.length + this.#fresh.length;
  }

  add(ms: number): void {
    this.#fresh.push(ms);
    this.total += ms;
  }

  /** The nearest-rank percentile; 0 where there is no duration. */
  percentile(part: number): number {
    this.#merge();
    return this.#sorted[Math.max(0, Math.ceil(this.#sorted.length * part) - 1)] ?? 0;
  }

  /** Sorts only the new durations and merges them, so that frequent questions do not sort everything. */
  #merge(): void {
    if (this.#fresh.length === 0) return;
    const fresh = Float64Array.from(this.#fresh).sort();
    const old = this.#sorted;
    const merged = new Float64Array(old.length + fresh.length);
    let from = 0;
    let at = 0;
    for (const ms of fresh) {
      while (from < old.length && (old[from] ?? 0) <= ms) merged[at++] = old[from++] ?? 0;
      merged[at++] = ms;
    }
    merged.set(old.subarray(from), at);
    this.#sorted = merged;
    this.#fresh = [];
  }
}

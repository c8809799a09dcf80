/** Durations in milliseconds, of which percentiles are asked again and again while they become more. */
export class Durations {
  /** Those that were sorted when somebody asked last. */
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

  /** Sorts only what came since, so that asking each second costs no sorting of everything. */
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

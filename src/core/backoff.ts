/** How waits between tries grow. */
export interface Backoff {
  /** The first wait, in milliseconds; each further one is twice as long. */
  readonly firstMs: number;
  /** No wait is longer, in milliseconds. */
  readonly maxMs: number;
  /** The share of a wait that is left to chance, from 0 to 1, so that many clients do not all return at once. */
  readonly jitter: number;
}

/**
 * How long to wait after a number of consecutive failures (1 for the first), in milliseconds and not rounded; `random`
 * gives a number from 0 (the longest wait) up to 1.
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs, jitter }: Backoff,
  random: () => number,
): number {
  const longest = Math.min(firstMs * 2 ** Math.max(failures - 1, 0), maxMs);
  return longest * (1 - jitter * random());
}

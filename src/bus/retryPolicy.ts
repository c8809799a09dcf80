/** From a second to a minute, doubling: short enough that a chat recovers soon after its platform. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** No wait is longer, because timers overflow beyond 24.8 days. */
const TIMER_MS = 24 * 60 * 60 * 1000;

/**
 * How long to wait after a number of consecutive failures, in milliseconds: doubling, with up to half of it random, so
 * that clients do not all return at once, and never less than the platform asked for.
 */
export function retryDelay(failures: number, retryAfterMs: number | undefined, random: () => number): number {
  const longest = Math.min(FIRST_MS * 2 ** Math.max(failures - 1, 0), LONGEST_MS);
  const wait = longest * (1 - random() / 2);
  return Math.min(Math.max(wait, retryAfterMs ?? 0), TIMER_MS);
}

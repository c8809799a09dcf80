/** Seconds to a minute, doubling: short enough that a chat feels alive again soon after its platform is. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Longer than this no timer can wait at once. */
const TIMER_MS = 24 * 60 * 60 * 1000;

/**
 * How long to wait after so many failures in a row, in milliseconds: doubling, with up to half of it left to chance so
 * that clients do not come back all at once, and never less than the platform asked for.
 */
export function retryDelay(failures: number, retryAfterMs: number | undefined, random: () => number): number {
  const longest = Math.min(FIRST_MS * 2 ** Math.max(failures - 1, 0), LONGEST_MS);
  const wait = longest * (1 - random() / 2);
  return Math.min(Math.max(wait, retryAfterMs ?? 0), TIMER_MS);
}

import { backoffMs, type Backoff } from '../../core/backoff.js';

/** From a second to a minute, doubling: short enough that a chat recovers soon after its platform. */
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };
/** No wait is longer, because timers overflow beyond 24.8 days. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1000;

/**
 * How long to wait after a number of consecutive failures, in milliseconds: doubling, with up to half of it random, so
 * that clients do not all return at once, and never less than the platform asked for.
 */
export function connectorRetryDelay(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  return Math.min(Math.max(backoffMs(failures, BACKOFF, random), retryAfterMs ?? 0), MAX_TIMER_MS);
}

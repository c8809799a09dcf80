import { backoffMs, type Backoff } from '../../../core/backoff.js';
import type { ModelFailure } from '../../../core/ports/model.js';

/** The share of a wait that is left to chance, of what a provider asks for as well. */
const JITTER = 0.25;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 20_000, jitter: JITTER };

/**
 * How long to wait before the next try after `attempt` (1 for the first) failed: what the provider asks for, or
 * an exponential back-off, with up to a quarter of jitter so that a team does not come back all at once.
 * Undefined when the provider asks for more than `cap` milliseconds; what is no time at all is not heard.
 * `random` is from 0 up to 1.
 */
export function modelRetryDelay(
  attempt: number,
  { retryAfterMs: asked }: Pick<ModelFailure, 'retryAfterMs'>,
  cap: number,
  random: () => number = Math.random,
): number | undefined {
  const retryAfterMs = asked !== undefined && asked >= 0 ? asked : undefined;
  if (retryAfterMs !== undefined && retryAfterMs > cap) return undefined;
  const luck = random();
  const wait =
    retryAfterMs === undefined
      ? backoffMs(attempt, BACKOFF, () => 1 - luck)
      : retryAfterMs * (1 + JITTER * luck);
  return Math.min(cap, Math.round(wait));
}

import type { ModelFailure } from '../../ports/model.js';

/** The first pause in milliseconds; each further one is twice as long, up to `LONGEST_BACKOFF_MS`. */
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/**
 * How long to wait before the next try after `attempt` (1 for the first) failed: what the provider asks for, or
 * an exponential back-off, with up to a quarter of jitter so that a team does not come back all at once.
 * Undefined when the provider asks for more than `cap` milliseconds; what is no time at all is not heard.
 * `random` is from 0 up to 1.
 */
export function retryDelay(
  attempt: number,
  { retryAfterMs: asked }: Pick<ModelFailure, 'retryAfterMs'>,
  cap: number,
  random: () => number = Math.random,
): number | undefined {
  const retryAfterMs = asked !== undefined && asked >= 0 ? asked : undefined;
  if (retryAfterMs !== undefined && retryAfterMs > cap) return undefined;
  const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 16));
  const base = retryAfterMs ?? backoff * 0.75;
  return Math.min(cap, Math.round(base + random() * 0.25 * (retryAfterMs === undefined ? backoff : base)));
}

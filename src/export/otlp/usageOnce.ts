import { isObject } from '../../core/message.js';
import { USAGE_PARTS } from '../../core/usage.js';
import { numberIn } from './values.js';

const COUNTS = ['inputTokens', 'outputTokens', ...USAGE_PARTS] as const;

/**
 * The usage of one call as its spans tell it, so that who adds them up counts nothing twice: what requests tell is what counts,
 * and answers count where no request tells anything. Where answers came first, a request adds what they have not told.
 */
export class UsageOnce {
  #hasRequests = false;
  /** What answers have told that no request has. */
  readonly #ahead = new Map<string, number>();

  /** The usage for a span of a request and its answer, of which one may be missing; undefined where it adds none. */
  next(request: unknown, answer: unknown): unknown {
    if (isObject(request)) {
      this.#hasRequests = true;
      return this.#rest(request);
    }
    if (this.#hasRequests || !isObject(answer)) return undefined;
    for (const key of COUNTS)
      this.#ahead.set(key, (this.#ahead.get(key) ?? 0) + (numberIn(answer[key]) ?? 0));
    return answer;
  }

  #rest(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const rest: Record<string, unknown> = { ...usage };
    for (const key of COUNTS) {
      const count = numberIn(usage[key]);
      const told = this.#ahead.get(key) ?? 0;
      if (count === undefined || told === 0) continue;
      const again = Math.min(count, told);
      this.#ahead.set(key, told - again);
      rest[key] = count - again;
    }
    return rest;
  }
}

/** Where times come from, so that tests can give their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, whole. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The source of the current time, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, whole. */
  now(): number;
}

/** The clock of the system. */
export const systemClock: Clock = { now: () => Date.now() };

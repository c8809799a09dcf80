import type { Failure, Outcome } from '../../core/record.js';
import type { Usage } from '../../core/usage.js';

/** The result of a call, and its usage. */
export interface CallResult {
  readonly call: string;
  readonly outcome: Outcome;
  /** The final answer, or what was said of it. */
  readonly text: string;
  /** Present unless the outcome is `done`. */
  readonly error?: Failure;
  readonly durationMs: number;
  readonly ownUsage: Usage;
  readonly totalUsage: Usage;
}

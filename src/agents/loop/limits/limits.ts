import type { KnownOptions } from '../../../core/checkOptions.js';
import type { NanoDollars } from '../../../core/money.js';

/** What a run may use up before it is ended, whichever of its calls reaches it. Counts are whole and positive, times in milliseconds. */
export interface Limits {
  /** Model requests in one call, retries not counted; an agent file's own number, where smaller, ends the call alone. */
  readonly steps: number;
  /** Calls in one run, the entry call included. */
  readonly calls: number;
  /** Calls that one call may dispatch. */
  readonly fanOut: number;
  /** Tokens of one run, all its calls together. */
  readonly tokens: number;
  /** Money of one run, all its calls together, by the prices of its configuration; absent for as much as it takes. */
  readonly cost?: NanoDollars;
  /** Time of one run; waiting for a person does not count. */
  readonly runMs: number;
  /** Time of one tool call; waiting for a person and for another agent does not count. */
  readonly toolMs: number;
  /** Tool calls of one message that run at the same time. */
  readonly toolsAtOnce: number;
  /** Tool calls in one message; those beyond it are answered with an error. */
  readonly toolCallsPerMessage: number;
  /** How often the same call, or the same short cycle of calls, may follow itself. */
  readonly repetitions: number;
  /** Messages in a row of which no tool call could be run; more end the call, not the run. */
  readonly corrections: number;
  /** Further tries of a request that failed in a way that may pass. */
  readonly retries: number;
  /** The longest pause before a further try; a provider that asks for a longer one has refused. */
  readonly retryPauseMs: number;
  /** UTF-16 code units of one answer, tool arguments and reasoning included. */
  readonly answerLength: number;
}

/** What `Limits` may hold. */
export const limitKinds: KnownOptions<Limits> = {
  steps: 'count',
  calls: 'count',
  fanOut: 'count',
  tokens: 'count',
  cost: 'count',
  runMs: 'count',
  toolMs: 'count',
  toolsAtOnce: 'count',
  toolCallsPerMessage: 'count',
  repetitions: 'count',
  corrections: 'count',
  retries: 'count',
  retryPauseMs: 'count',
  answerLength: 'count',
};

/** How deep calls may nest where nothing else is said; the entry call has depth 0. */
export const DEFAULT_MAX_DEPTH = 5;

/** How many model requests of all runs together may be under way where nothing else is said. */
export const DEFAULT_REQUESTS_AT_ONCE = 8;

/**
 * Generous for real work, far below the runaways that users report (364 identical calls, 188 agents in a minute).
 * With 3 repetitions a loop of one call is ended after 5 calls, one of two after 10. Of 212 real calls of agents with
 * 1,217 tool calls (see repetition.test.ts), 2 end none and 1 would end several honest ones.
 */
export const DEFAULT_LIMITS: Limits = {
  steps: 100,
  calls: 64,
  fanOut: 16,
  tokens: 5_000_000,
  runMs: 3_600_000,
  toolMs: 900_000,
  toolsAtOnce: 8,
  toolCallsPerMessage: 64,
  repetitions: 3,
  corrections: 3,
  retries: 4,
  retryPauseMs: 60_000,
  answerLength: 8_000_000,
};

import type { TokenCount } from './row.js';

/** One line of a breakdown, like that of a role: its messages and tokens. */
export interface Share {
  readonly name: string;
  readonly messages: number;
  readonly tokens: TokenCount;
}

/** One of the steps that took longest or used most tokens; `durationMs` in milliseconds. */
export interface CostlyStep {
  readonly position: number;
  readonly agent: string;
  readonly hue: number;
  readonly label: string;
  readonly kind: 'model' | 'tool' | 'dispatch';
  readonly durationMs?: number;
  readonly tokens?: number;
}

/** The statistics of a transcript. */
export interface Statistics {
  readonly messages: number;
  readonly runs: number;
  readonly calls: number;
  readonly toolCalls: number;
  readonly errors: number;
  readonly tokens: TokenCount;
  /** The time that all runs took together, in milliseconds; 0 where it is unknown. */
  readonly durationMs: number;
  readonly byRole: readonly Share[];
  readonly byAgent: readonly (Share & {
    readonly hue: number;
    readonly ownCalls: number;
  })[];
  readonly byModel: readonly (Share & {
    readonly requests: number;
    readonly failures: number;
  })[];
  /** The size of the context at each request of a call: one line per call, thinned to fit a chart. */
  readonly contextGrowth: readonly {
    readonly agent: string;
    readonly hue: number;
    readonly depth: number;
    readonly points: readonly {
      readonly position: number;
      readonly request: number;
      readonly tokens: number;
    }[];
  }[];
  readonly contextEstimated: boolean;
  /** True while tokens that no provider reported are still being counted: a later answer has more. */
  readonly counting: boolean;
  readonly slowest: readonly CostlyStep[];
  readonly mostExpensive: readonly CostlyStep[];
}

/**
 * The calls of one tool in the whole transcript. Durations are in milliseconds, absent where none is known, and without
 * the time for which people were waited for, which is `waitedMs`.
 */
export interface ToolSummary {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
  readonly unanswered: number;
  readonly waitedMs: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly total?: number;
  /** Names of top-level arguments and how many calls used them, most used first. */
  readonly arguments: readonly {
    readonly name: string;
    readonly calls: number;
  }[];
  readonly agents: readonly string[];
  readonly firstFailure?: number;
}

export type SpanState = 'running' | 'done' | 'failed' | 'cancelled';

/** A span of time in a lane. Spans too short to be seen are merged; `merged` is how many there are in one. */
export interface TimelineSpan {
  readonly kind: 'call' | 'model' | 'answer' | 'tool' | 'dispatch' | 'approval' | 'error';
  readonly lane: number;
  /** The row within the lane: calls of one agent that overlap in time are stacked. */
  readonly row: number;
  readonly start: number;
  readonly end: number;
  readonly state: SpanState;
  readonly label: string;
  readonly depth: number;
  readonly position: number;
  readonly merged: number;
  /** For a dispatched call: the place of the call that dispatched it. */
  readonly from?: {
    readonly lane: number;
    readonly row: number;
  };
}

/** A stretch of time without work; `drawn` is how many milliseconds of the time axis it takes, fewer than it lasted. */
export interface TimelinePause {
  readonly start: number;
  readonly end: number;
  readonly drawn: number;
}

/** A part of the timeline. */
export interface Timeline {
  /** True where no time is known: times are then positions of records. */
  readonly countsSteps: boolean;
  /** The start of the whole time axis, whatever part was asked for. */
  readonly start: number;
  readonly end: number;
  readonly lanes: readonly {
    readonly agent: string;
    readonly hue: number;
    readonly calls: number;
    readonly rows: number;
  }[];
  readonly spans: readonly TimelineSpan[];
  /** Long pauses of the whole time axis, the first one first. */
  readonly pauses: readonly TimelinePause[];
  /** True where spans of the part were left out because there are too many. */
  readonly thinned: boolean;
}

/** A turn, from the user's prompt to the final answer, in the list of turns. */
export interface TurnSummary {
  readonly index: number;
  readonly position: number;
  /** The position of its last record. */
  readonly lastPosition: number;
  readonly start: number;
  readonly end: number;
  readonly prompt: string;
  readonly answer: string;
  readonly toolCalls: number;
  readonly dispatches: number;
  readonly errors: number;
  readonly state: SpanState;
}

/** A page of the list of turns, and their number. */
export interface TurnPage {
  readonly total: number;
  readonly turns: readonly TurnSummary[];
}

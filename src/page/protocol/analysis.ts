import type { CostlyStep as UncolouredStep } from '../../query/numbers/costlySteps.js';
import type { DetourTotal, MarkKind, Wasted } from '../../query/numbers/detours.js';
import type { Dispatches } from '../../query/numbers/dispatches.js';
import type { GrowthLine } from '../../query/numbers/contextGrowth.js';
import type { MomentKind } from '../../query/numbers/moments.js';
import type { SpanState, TurnSummary } from '../../query/numbers/turn.js';
import type { Share, TranscriptTotals } from '../../query/numbers/usageTotals.js';

export type { ToolSummary } from '../../query/numbers/toolUse.js';
export type { DetourTotal, Wasted, Share, SpanState, TurnSummary };

/** What is an agent's, with the number of the colour that this agent has in all views. */
type Coloured<T> = T & { readonly hue: number };

/** One of the steps that took longest or used most tokens. */
export type CostlyStep = Coloured<UncolouredStep>;

/** What one agent had another do, with the colours of both. */
export interface ColouredDispatches extends Dispatches {
  readonly fromHue: number;
  readonly toHue: number;
}

/** The statistics of a transcript: what the analysis counts, as it is shown. */
export interface Statistics extends Omit<
  TranscriptTotals,
  'byAgent' | 'contextGrowth' | 'slowest' | 'mostExpensive'
> {
  /** The time that all runs took together, in milliseconds; 0 where it is unknown. */
  readonly durationMs: number;
  /** What cost time and brought nothing, by kind. */
  readonly detours: readonly DetourTotal[];
  readonly wasted: readonly Wasted[];
  /** Who called whom; empty where one agent did all of it. */
  readonly dispatches: readonly ColouredDispatches[];
  readonly byAgent: readonly Coloured<TranscriptTotals['byAgent'][number]>[];
  readonly contextGrowth: readonly Coloured<GrowthLine>[];
  /** True while tokens that no provider reported are still being counted: a later answer has more. */
  readonly counting: boolean;
  readonly slowest: readonly CostlyStep[];
  readonly mostExpensive: readonly CostlyStep[];
}

/** A span of time in a lane. Spans too short to be seen are merged; `merged` is how many there are in one. */
export interface TimelineSpan {
  readonly kind: 'call' | MomentKind | MarkKind;
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

/** A page of the list of turns, and their number. */
export interface TurnPage {
  readonly total: number;
  readonly turns: readonly TurnSummary[];
}

import * as v from 'valibot';
import { count, tokenCount } from './row.js';

const hue = count;

/** One line of a breakdown, like that of a role: its messages and tokens. */
const share = v.object({
  name: v.string(),
  messages: count,
  tokens: tokenCount,
});
/** See `share`. */
export type Share = v.InferOutput<typeof share>;

/** One of the steps that took longest or used most tokens; `durationMs` in milliseconds. */
const costlyStep = v.object({
  position: count,
  agent: v.string(),
  hue,
  label: v.string(),
  kind: v.picklist(['model', 'tool', 'dispatch']),
  durationMs: v.exactOptional(v.number()),
  tokens: v.exactOptional(count),
});
/** See `costlyStep`. */
export type CostlyStep = v.InferOutput<typeof costlyStep>;

/** The statistics of a transcript. */
export const statistics = v.object({
  messages: count,
  runs: count,
  calls: count,
  toolCalls: count,
  errors: count,
  tokens: tokenCount,
  /** The time that all runs took together, in milliseconds; 0 where it is unknown. */
  durationMs: v.number(),
  byRole: v.array(share),
  byAgent: v.array(v.object({ ...share.entries, hue, ownCalls: count })),
  byModel: v.array(v.object({ ...share.entries, requests: count, failures: count })),
  /** The size of the context at each request of a call: one line per call, thinned to fit a chart. */
  contextGrowth: v.array(
    v.object({
      agent: v.string(),
      hue,
      depth: count,
      points: v.array(v.object({ position: count, request: count, tokens: count })),
    }),
  ),
  contextEstimated: v.boolean(),
  /** True while tokens that no provider reported are still being counted: a later answer has more. */
  counting: v.boolean(),
  slowest: v.array(costlyStep),
  mostExpensive: v.array(costlyStep),
});
/** See `statistics`. */
export type Statistics = v.InferOutput<typeof statistics>;

/**
 * The calls of one tool in the whole transcript. Durations are in milliseconds, absent where none is known, and without
 * the time for which people were waited for, which is `waitedMs`.
 */
const toolSummary = v.object({
  tool: v.string(),
  calls: count,
  failures: count,
  unanswered: count,
  waitedMs: v.number(),
  p50: v.exactOptional(v.number()),
  p95: v.exactOptional(v.number()),
  total: v.exactOptional(v.number()),
  /** Names of top-level arguments and how many calls used them, most used first. */
  arguments: v.array(v.object({ name: v.string(), calls: count })),
  agents: v.array(v.string()),
  firstFailure: v.exactOptional(count),
});
/** See `toolSummary`. */
export type ToolSummary = v.InferOutput<typeof toolSummary>;
/** The tools of a transcript. */
export const toolSummaries = v.array(toolSummary);

const spanState = v.picklist(['running', 'done', 'failed', 'cancelled']);

/** A span of time in a lane. Spans too short to be seen are merged; `merged` is how many there are in one. */
const span = v.object({
  kind: v.picklist(['call', 'model', 'answer', 'tool', 'dispatch', 'approval', 'error']),
  lane: count,
  /** The row within the lane: calls of one agent that overlap in time are stacked. */
  row: count,
  start: v.number(),
  end: v.number(),
  state: spanState,
  label: v.string(),
  depth: count,
  position: count,
  merged: count,
  /** For a dispatched call: the place of the call that dispatched it. */
  from: v.exactOptional(v.object({ lane: count, row: count })),
});
/** See `span`. */
export type TimelineSpan = v.InferOutput<typeof span>;

/** A stretch of time without work; `drawn` is how many milliseconds of the time axis it takes, fewer than it lasted. */
const pause = v.object({ start: v.number(), end: v.number(), drawn: v.number() });
/** See `pause`. */
export type TimelinePause = v.InferOutput<typeof pause>;

/** A part of the timeline. */
export const timeline = v.object({
  /** True where no time is known: times are then positions of records. */
  countsSteps: v.boolean(),
  /** The start of the whole time axis, whatever part was asked for. */
  start: v.number(),
  end: v.number(),
  lanes: v.array(v.object({ agent: v.string(), hue, calls: count, rows: count })),
  spans: v.array(span),
  /** Long pauses of the whole time axis, the first one first. */
  pauses: v.array(pause),
  /** True where spans of the part were left out because there are too many. */
  thinned: v.boolean(),
});
/** See `timeline`. */
export type Timeline = v.InferOutput<typeof timeline>;

/** A turn, from the user's prompt to the final answer, in the list of turns. */
const turn = v.object({
  index: count,
  position: count,
  /** The position of its last record. */
  lastPosition: count,
  start: v.number(),
  end: v.number(),
  prompt: v.string(),
  answer: v.string(),
  toolCalls: count,
  dispatches: count,
  errors: count,
  state: spanState,
});
/** See `turn`. */
export type TurnSummary = v.InferOutput<typeof turn>;
/** A page of the list of turns, and their number. */
export const turns = v.object({ total: count, turns: v.array(turn) });

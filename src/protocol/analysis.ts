import * as v from 'valibot';
import { count, tokenCount } from './row.js';

const hue = count;

/** One line of a breakdown: who or what, how many messages, what it cost. */
const share = v.object({
  name: v.string(),
  messages: count,
  characters: count,
  tokens: tokenCount,
});
/** One share of a total, like that of a role. */
export type Share = v.InferOutput<typeof share>;

/** One step that took long or cost much. */
const costlyStep = v.object({
  position: count,
  agent: v.string(),
  hue,
  label: v.string(),
  kind: v.picklist(['model', 'tool', 'dispatch']),
  durationMs: v.exactOptional(v.number()),
  tokens: v.exactOptional(count),
});
/** A step among those with the most tokens. */
export type CostlyStep = v.InferOutput<typeof costlyStep>;

/** The statistics of a transcript. */
export const statistics = v.object({
  messages: count,
  runs: count,
  calls: count,
  toolCalls: count,
  errors: count,
  tokens: tokenCount,
  /** Wall time of all runs together. */
  durationMs: v.number(),
  byRole: v.array(share),
  byAgent: v.array(v.object({ ...share.entries, hue, ownCalls: count })),
  byModel: v.array(v.object({ ...share.entries, requests: count, failures: count })),
  /** How large the context was at each request of a call: one line per call, thinned to fit. */
  contextGrowth: v.array(
    v.object({
      agent: v.string(),
      hue,
      depth: count,
      points: v.array(v.object({ position: count, request: count, tokens: count })),
    }),
  ),
  contextEstimated: v.boolean(),
  /** True while tokens that nobody told are still being counted: the next answer knows more. */
  counting: v.boolean(),
  slowest: v.array(costlyStep),
  mostExpensive: v.array(costlyStep),
});
/** See `statistics`. */
export type Statistics = v.InferOutput<typeof statistics>;

/** One tool over the whole transcript. Durations in milliseconds, absent where none is known. */
const toolSummary = v.object({
  tool: v.string(),
  calls: count,
  failures: count,
  unanswered: count,
  p50: v.exactOptional(v.number()),
  p95: v.exactOptional(v.number()),
  total: v.exactOptional(v.number()),
  /** Names of top-level arguments and how many calls used them, most used first. */
  arguments: v.array(v.object({ name: v.string(), calls: count })),
  agents: v.array(v.string()),
  firstFailure: v.exactOptional(count),
});
/** The calls of one tool, summed up. */
export type ToolSummary = v.InferOutput<typeof toolSummary>;
/** The tools of a transcript. */
export const toolSummaries = v.array(toolSummary);

const spanState = v.picklist(['running', 'done', 'failed', 'cancelled']);

/** A stretch of time in a lane. What is too short to be seen alone comes merged, with how many it stands for. */
const span = v.object({
  kind: v.picklist(['call', 'model', 'tool', 'dispatch', 'approval', 'error']),
  lane: count,
  /** Which row of the lane: calls of one agent that overlap in time stand below each other. */
  row: count,
  start: v.number(),
  end: v.number(),
  state: spanState,
  label: v.string(),
  depth: count,
  position: count,
  merged: count,
  /** Of a call that was dispatched: where the call stands that did so. */
  from: v.exactOptional(v.object({ lane: count, row: count })),
});
/** A bar in the timeline. */
export type TimelineSpan = v.InferOutput<typeof span>;

/** A part of the timeline. */
export const timeline = v.object({
  /** The whole time axis, whatever part was asked for. */
  start: v.number(),
  end: v.number(),
  lanes: v.array(v.object({ agent: v.string(), hue, calls: count, rows: count })),
  spans: v.array(span),
  /** True where spans of the part were left out because there are too many. */
  thinned: v.boolean(),
});
/** See `timeline`. */
export type Timeline = v.InferOutput<typeof timeline>;

/** User prompt to final answer, for reading. */
const turn = v.object({
  index: count,
  position: count,
  start: v.number(),
  end: v.number(),
  prompt: v.string(),
  answer: v.string(),
  toolCalls: count,
  dispatches: count,
  errors: count,
  state: spanState,
});
/** A turn in the list of turns. */
export type TurnSummary = v.InferOutput<typeof turn>;
/** A page of the list of turns, and their number. */
export const turns = v.object({ total: count, turns: v.array(turn) });

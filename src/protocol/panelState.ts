import * as v from 'valibot';
import { FAILURE_WAYS } from '../ports/failureWays.js';
import { criteria, savedFilter } from './criteria.js';
import { count, HUES, tokenCount } from './row.js';

/** The state of the conversation, and what a person can do about it. */
export const liveState = v.object({
  state: v.picklist([
    'running',
    'waiting',
    'done',
    'failed',
    'cancelled',
    'limited',
    'interrupted',
    'unknown',
  ]),
  canStop: v.boolean(),
  canContinue: v.boolean(),
  /** Why it cannot be continued, for a person. */
  whyNot: v.exactOptional(v.string()),
  /** How many messages wait until the run has ended. */
  queued: v.exactOptional(count),
  /** Why the last run failed, where it was one of this window, and what can be done about it. */
  failure: v.exactOptional(v.object({ reason: v.string(), ways: v.array(v.picklist(FAILURE_WAYS)) })),
});
/** See `liveState`. */
export type LiveState = v.InferOutput<typeof liveState>;

/** A secret that a prompt carries and its answer must repeat. */
export const nonce = v.pipe(v.string(), v.maxLength(100));

/** An approval that waits for a person. Only an answer with this nonce counts, and only once. */
export const approval = v.object({
  id: v.string(),
  nonce,
  agent: v.string(),
  tool: v.string(),
  title: v.string(),
  /** Exactly what will be done, in full; absent where it is too large to be shown here. */
  subject: v.exactOptional(v.string()),
  characters: count,
  mustAsk: v.exactOptional(v.string()),
});
/** See `approval`. */
export type ApprovalCard = v.InferOutput<typeof approval>;

/** The sizes of the row list, whose rows change with the generation. */
export const listState = v.object({
  generation: count,
  /** The number of rows in the list. */
  rows: count,
  /** The number of rows read so far, with every dispatch expanded and without a filter. */
  allRows: count,
  /** How many rows there are of raw events, and whether they are part of the list. */
  rawRows: count,
  showsRaw: v.boolean(),
  /** The number of messages read so far. */
  messages: count,
  /** The number of records read so far. */
  read: count,
  /** The number of records in the transcript. */
  records: count,
});
/** See `listState`. */
export type ListState = v.InferOutput<typeof listState>;

/** The progress of a filter. */
export const matchState = v.object({
  /** The `filter` request that this belongs to. */
  question: count,
  /** The number of rows that match; a tool's call and its result are one row. */
  matches: count,
  scanned: count,
  of: count,
  done: v.boolean(),
  /** Why the filter cannot be used, for a person; nothing is filtered then. */
  problem: v.exactOptional(v.string()),
});
/** See `matchState`. */
export type MatchState = v.InferOutput<typeof matchState>;

/** The names that a filter can choose from. */
export const facets = v.object({
  agents: v.array(v.object({ name: v.string(), hue: count })),
  tools: v.array(v.string()),
});
/** See `facets`. */
export type Facets = v.InferOutput<typeof facets>;

/** What a transcript is as a whole. */
export const transcriptFacts = v.object({
  /** When it began, in milliseconds since 1970; 0 where no time is known. */
  startedAt: v.number(),
  /** The time that all runs took together, in milliseconds; 0 where it is unknown. */
  durationMs: v.number(),
  tokens: tokenCount,
  errors: count,
  /** Why the last run ended as it did, where it failed or reached a limit. */
  reason: v.exactOptional(v.string()),
});
/** See `transcriptFacts`. */
export type TranscriptFacts = v.InferOutput<typeof transcriptFacts>;

/** Where a transcript comes from, and what its source says of it as a whole. */
export const provenance = v.object({
  /** The tool that it was imported from. */
  tool: v.exactOptional(v.string()),
  /** The file that it was imported from. */
  path: v.exactOptional(v.string()),
  /** The folder of the workspace that its store belongs to. */
  folder: v.exactOptional(v.string()),
  /** What the source tells of the whole, such as a score. */
  details: v.array(v.object({ name: v.string(), value: v.string() })),
});
/** See `provenance`. */
export type Provenance = v.InferOutput<typeof provenance>;

/** Everything that a page needs to start, except rows. */
export const snapshot = v.object({
  title: v.string(),
  conversation: v.string(),
  live: liveState,
  list: listState,
  facts: transcriptFacts,
  provenance,
  facets,
  damaged: v.array(
    v.object({
      file: v.string(),
      line: v.exactOptional(count),
      offset: count,
      bytes: count,
      why: v.string(),
    }),
  ),
  damagedTotal: count,
  approvals: v.array(approval),
  savedFilters: v.array(savedFilter),
  /** The filter used last, here or in another transcript. */
  lastFilter: v.exactOptional(criteria),
  /** The text in the chat box. */
  draft: v.string(),
  expandedAll: v.boolean(),
  /** Where to scroll to: the row to be shown, or the one that the page had at its top. */
  at: v.exactOptional(v.object({ index: count, id: count })),
});
/** See `snapshot`. */
export type Snapshot = v.InferOutput<typeof snapshot>;

/** How many agents that write at once are shown; the others are counted. */
export const MAX_WRITERS = 4;

/** What agents are writing at this moment. */
export const writing = v.object({
  texts: v.pipe(
    v.array(
      v.object({
        /** The id of the call that writes. */
        call: v.string(),
        agent: v.string(),
        hue: v.pipe(count, v.maxValue(HUES - 1)),
        depth: count,
        /** The end of what was said so far, and of what was thought. */
        text: v.string(),
        reasoning: v.string(),
        /** Whether more was said before the beginning of `text`. */
        isCut: v.boolean(),
      }),
    ),
    v.maxLength(MAX_WRITERS),
  ),
  /** How many agents more are writing. */
  more: count,
});
/** See `writing`. */
export type Writing = v.InferOutput<typeof writing>;

import * as v from 'valibot';
import { criteria, savedFilter } from './criteria.js';
import { count } from './row.js';

/** How the conversation stands, and what a person can do about it. */
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
  /** In words, why it cannot be continued. */
  whyNot: v.exactOptional(v.string()),
  /** How many messages wait until the run has ended. */
  queued: v.exactOptional(count),
});
/** Whether and how agents run in the conversation. */
export type LiveState = v.InferOutput<typeof liveState>;

/** What a prompt carries that only its own answer can know. */
export const nonce = v.pipe(v.string(), v.maxLength(100));

/** What a person is asked. Only an answer with this nonce counts, and only once. */
export const approval = v.object({
  id: v.string(),
  nonce,
  agent: v.string(),
  tool: v.string(),
  title: v.string(),
  /** Exactly what will be done, whole; absent where it is too large to be shown here. */
  subject: v.exactOptional(v.string()),
  characters: count,
  mustAsk: v.exactOptional(v.string()),
});
/** An approval that waits for an answer. */
export type ApprovalCard = v.InferOutput<typeof approval>;

/** Which rows the list consists of. It changes with the generation. */
export const listState = v.object({
  generation: count,
  /** Rows in the list now. */
  rows: count,
  /** Rows that there are with every dispatch expanded and without a filter, as far as it has been read. */
  allRows: count,
  /** Messages of the whole transcript, as far as it has been read. */
  messages: count,
  /** Records read so far, of how many. */
  read: count,
  records: count,
});
/** The state of the row list. */
export type ListState = v.InferOutput<typeof listState>;

/** How far a filter has come. */
export const matchState = v.object({
  /** Which `filter` request this belongs to. */
  question: count,
  /** Rows that match; a tool's call and its result are one. */
  matches: count,
  scanned: count,
  of: count,
  done: v.boolean(),
  /** In words, why the filter cannot be used; nothing is filtered then. */
  problem: v.exactOptional(v.string()),
});
/** The state of a search within the rows. */
export type MatchState = v.InferOutput<typeof matchState>;

/** Names to choose from. */
export const facets = v.object({
  agents: v.array(v.object({ name: v.string(), hue: count })),
  tools: v.array(v.string()),
});
/** The values that a filter can choose from. */
export type Facets = v.InferOutput<typeof facets>;

/** Everything that the page needs to begin. */
export const snapshot = v.object({
  title: v.string(),
  conversation: v.string(),
  live: liveState,
  list: listState,
  facets,
  damaged: v.array(v.object({ offset: count, bytes: count, why: v.string() })),
  damagedTotal: count,
  approvals: v.array(approval),
  savedFilters: v.array(savedFilter),
  /** What was filtered by last, here or in another transcript. */
  lastFilter: v.exactOptional(criteria),
  /** What stands in the chat box. */
  draft: v.string(),
  expandedAll: v.boolean(),
  /** Where to scroll to: the row that was asked for, or that the page had at its top. */
  at: v.exactOptional(v.object({ index: count, id: count })),
});
/** The whole state of a panel, except its rows. */
export type Snapshot = v.InferOutput<typeof snapshot>;

import * as v from 'valibot';
import { EXPORT_FORMATS } from '../ports/exportFormats.js';
import { statistics, timeline, toolSummaries, turns } from './analysis.js';
import { criteria, savedFilter } from './criteria.js';
import { count, row, rowField } from './row.js';

/** The most rows one answer brings; it brings fewer where they are large. */
export const PAGE_ROWS = 100;

/** The most characters one answer or event brings, so that none is over a megabyte. */
export const MESSAGE_CHARACTERS = 250_000;

const done = v.object({});
const shortText = v.pipe(v.string(), v.maxLength(10_000));
const nonce = v.pipe(v.string(), v.maxLength(100));

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
export type LiveState = v.InferOutput<typeof liveState>;

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
export type MatchState = v.InferOutput<typeof matchState>;

/** Names to choose from. */
export const facets = v.object({
  agents: v.array(v.object({ name: v.string(), hue: count })),
  tools: v.array(v.string()),
});
export type Facets = v.InferOutput<typeof facets>;

const snapshot = v.object({
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
export type Snapshot = v.InferOutput<typeof snapshot>;

const expanded = v.pipe(v.array(count), v.maxLength(10_000));
const rowsAnswer = v.object({
  generation: count,
  start: count,
  rows: v.array(row),
  /** Where the filter is a pattern: texts in these rows that it matches, to be marked. */
  marks: v.exactOptional(v.array(v.string())),
});
export type RowsAnswer = v.InferOutput<typeof rowsAnswer>;

const fieldOfRow = { row: count, field: rowField, part: v.exactOptional(count) };

/** What the page may ask, each question with its answer. Anything else is refused. */
export const requests = {
  /** First of all, and again after the page was hidden: everything that the page needs to begin. */
  ready: {
    params: v.object({
      criteria: v.exactOptional(criteria),
      expanded: v.exactOptional(expanded),
      expandedAll: v.exactOptional(v.boolean()),
      /** The row that was at the top. */
      top: v.exactOptional(count),
    }),
    answer: snapshot,
  },
  rows: { params: v.object({ generation: count, start: count, end: count }), answer: rowsAnswer },
  expand: { params: v.object({ row: count, expanded: v.boolean() }), answer: done },
  expandAll: { params: v.object({ expanded: v.boolean() }), answer: done },
  /** A text from a character on; asked again with `next` until that is absent. */
  text: {
    params: v.object({ ...fieldOfRow, from: count }),
    answer: v.object({ text: v.string(), next: v.exactOptional(count), total: count }),
  },
  filter: { params: v.object({ question: count, criteria }), answer: done },
  /** Makes the row of a record visible in the list and says where it stands. */
  reveal: {
    params: v.object({ position: count }),
    answer: v.object({ generation: count, index: count, id: count }),
  },
  statistics: { params: v.object({}), answer: statistics },
  tools: { params: v.object({}), answer: toolSummaries },
  timeline: {
    params: v.object({
      from: v.exactOptional(v.number()),
      to: v.exactOptional(v.number()),
      pixels: v.pipe(count, v.maxValue(20_000)),
    }),
    answer: timeline,
  },
  /** Turns from `start` on or, where a time is given, from the one that goes on then. */
  turns: {
    params: v.object({ start: count, count, time: v.exactOptional(v.number()) }),
    answer: turns,
  },
  /** Where the next prompt stands, or the one before (`by` -1); absent where there is none. */
  prompt: {
    params: v.object({ from: v.exactOptional(count), by: v.number() }),
    answer: v.object({ position: v.exactOptional(count) }),
  },
  saveFilter: { params: savedFilter, answer: v.array(savedFilter) },
  removeFilter: { params: v.object({ name: v.string() }), answer: v.array(savedFilter) },
  copyRow: { params: v.object({ row: count, as: v.picklist(['text', 'markdown']) }), answer: done },
  copyText: { params: v.object({ text: v.pipe(v.string(), v.maxLength(1_000_000)) }), answer: done },
  openInEditor: { params: v.object(fieldOfRow), answer: done },
  openFile: { params: v.object({ row: count, file: count }), answer: done },
  openLink: { params: v.object({ url: v.pipe(v.string(), v.maxLength(8_000)) }), answer: done },
  export: {
    params: v.object({
      format: v.picklist(EXPORT_FORMATS),
      scope: v.picklist(['all', 'filtered']),
      target: v.picklist(['editor', 'file', 'clipboard']),
    }),
    answer: done,
  },
  stop: { params: v.object({}), answer: done },
  continue: {
    params: v.object({ text: v.pipe(v.string(), v.minLength(1), v.maxLength(200_000)) }),
    answer: done,
  },
  /** What stands in the chat box now. */
  draft: { params: v.object({ text: v.pipe(v.string(), v.maxLength(1_000_000)) }), answer: done },
  answerApproval: {
    params: v.object({
      id: v.string(),
      nonce,
      approved: v.boolean(),
      remember: v.boolean(),
      reason: v.exactOptional(shortText),
    }),
    answer: done,
  },
} as const;

/** What the host tells unasked, in batches, while the page can be seen. */
export const events = {
  /** The list became longer, or rows came into or left its middle: `removed` of them at `at`, then `inserted`. */
  list: v.object({
    ...listState.entries,
    changes: v.array(v.object({ at: count, removed: count, inserted: count })),
    /** True where the list is another one: everything known of it must go. */
    replaced: v.boolean(),
  }),
  /** Rows that look different now, of those that were asked for lately. */
  changed: v.object({ rows: v.array(row) }),
  matches: matchState,
  live: liveState,
  approvals: v.object({ approvals: v.array(approval) }),
  facets,
  /** A text that could not be said and belongs into the chat box again. */
  returned: v.object({ text: v.string() }),
  title: v.object({ title: v.string() }),
  /** Asks the page to show a record, which tab, and what of the messages. */
  show: v.object({
    position: v.exactOptional(count),
    tab: v.exactOptional(v.picklist(['messages', 'timeline', 'statistics', 'tools'])),
    focusFilter: v.exactOptional(v.boolean()),
    /** What to filter by from here on. */
    criteria: v.exactOptional(criteria),
  }),
} as const;

export type RequestName = keyof typeof requests;
export type Params<N extends RequestName> = v.InferOutput<(typeof requests)[N]['params']>;
export type Answer<N extends RequestName> = v.InferOutput<(typeof requests)[N]['answer']>;
export type EventName = keyof typeof events;
export type EventData<N extends EventName> = v.InferOutput<(typeof events)[N]>;

/** From page to host. */
export const fromPage = v.object({
  kind: v.literal('request'),
  id: count,
  name: v.picklist(Object.keys(requests) as RequestName[]),
  params: v.unknown(),
});
export type FromPage = v.InferOutput<typeof fromPage>;

/** From host to page. */
export const fromHost = v.variant('kind', [
  v.object({ kind: v.literal('answer'), id: count, answer: v.unknown() }),
  v.object({ kind: v.literal('failure'), id: count, message: v.string() }),
  v.object({
    kind: v.literal('event'),
    name: v.picklist(Object.keys(events) as EventName[]),
    data: v.unknown(),
  }),
]);
export type FromHost = v.InferOutput<typeof fromHost>;

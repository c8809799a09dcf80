import * as v from 'valibot';
import { EXPORT_FORMATS } from '../ports/exportFormats.js';
import { FAILURE_WAYS } from '../ports/failureWays.js';
import { statistics, timeline, toolSummaries, turns } from './analysis.js';
import { criteria, savedFilter } from './criteria.js';
import { nonce, snapshot } from './panelState.js';
import { count, row, rowField } from './row.js';

/** The most rows in one answer; there are fewer where they are large. */
export const PAGE_ROWS = 100;

const done = v.object({});
const shortText = v.pipe(v.string(), v.maxLength(10_000));
const expanded = v.pipe(v.array(count), v.maxLength(10_000));
const rowsAnswer = v.object({
  generation: count,
  start: count,
  rows: v.array(row),
  /** Where the filter is a pattern: the texts in these rows that it matches, to be highlighted. */
  marks: v.exactOptional(v.array(v.string())),
});
/** A page of rows. */
export type RowsAnswer = v.InferOutput<typeof rowsAnswer>;

const fieldOfRow = { row: count, field: rowField, part: v.exactOptional(count) };

/** What the page may request, each with parameters and answer. Anything else is refused. */
export const requests = {
  /** The first request, also after the page was hidden: everything that the page needs to start. */
  ready: {
    params: v.object({
      criteria: v.exactOptional(criteria),
      expanded: v.exactOptional(expanded),
      expandedAll: v.exactOptional(v.boolean()),
      showsRaw: v.exactOptional(v.boolean()),
      /** The row that was at the top. */
      top: v.exactOptional(count),
    }),
    answer: snapshot,
  },
  rows: { params: v.object({ generation: count, start: count, end: count }), answer: rowsAnswer },
  expand: { params: v.object({ row: count, expanded: v.boolean() }), answer: done },
  expandAll: { params: v.object({ expanded: v.boolean() }), answer: done },
  /** Shows the rows of raw events in the list, or folds them away. */
  showRaw: { params: v.object({ shown: v.boolean() }), answer: done },
  /** A piece of a text from a UTF-16 code unit on; to be repeated with `next` until that is absent. */
  text: {
    params: v.object({ ...fieldOfRow, from: count }),
    answer: v.object({ text: v.string(), next: v.exactOptional(count), total: count }),
  },
  filter: { params: v.object({ question: count, criteria }), answer: done },
  /** Makes the row of a record visible in the list, and gives its place. */
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
  /** Says that neither a timeline nor statistics are shown any more, so that work for them can end. */
  leave: { params: v.object({}), answer: done },
  /** The turns from `start` on or, if a time is given, from the one in progress then. */
  turns: {
    params: v.object({ start: count, count, time: v.exactOptional(v.number()) }),
    answer: turns,
  },
  /** The position of the next prompt, or of the previous one (`by` -1); absent where there is none. */
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
  /** What a person chose to do about a failed run. */
  afterFailure: { params: v.object({ way: v.picklist(FAILURE_WAYS) }), answer: done },
  /** The text now in the chat box. */
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

/** The name of a request from the page. */
export type RequestName = keyof typeof requests;
/** The parameters of a request. */
export type Params<N extends RequestName> = v.InferOutput<(typeof requests)[N]['params']>;
/** The answer to a request. */
export type Answer<N extends RequestName> = v.InferOutput<(typeof requests)[N]['answer']>;

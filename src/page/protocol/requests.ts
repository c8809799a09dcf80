import * as v from 'valibot';
import { MAX_NOTE_LENGTH } from '../../core/note.js';
import { SAVED_FORMATS } from '../../core/ports/exportFormats.js';
import { FAILURE_WAYS } from '../../core/ports/failureWays.js';
import type { Statistics, Timeline, ToolSummary, TurnPage } from './analysis.js';
import { approvalLogFilter, type ApprovalLogPage } from './approvals.js';
import { contextRequests, type ContextAnswers } from './context.js';
import { question, QUESTION_SCOPES, savedQuestion, type KnownQuestions } from './question.js';
import { nonce, type Snapshot } from './panelState.js';
import { count, rowField, type Row } from './row.js';

/** The most rows in one answer; there are fewer where they are large. */
export const PAGE_ROWS = 100;

const nothing = v.object({});
const shortText = v.pipe(v.string(), v.maxLength(10_000));
const noteId = v.pipe(v.string(), v.minLength(1), v.maxLength(100));
const expanded = v.pipe(v.array(count), v.maxLength(10_000));
const fieldOfRow = { row: count, field: rowField, part: v.exactOptional(count) };

/** A page of rows. */
export interface RowsAnswer {
  readonly generation: number;
  readonly start: number;
  readonly rows: readonly Row[];
  /** Where the question has patterns: the texts in these rows that they match, to be highlighted. */
  readonly marks?: readonly string[];
}

/** What the page may request, each with its parameters. Anything else is refused. */
export const requests = {
  /** The first request, also after the page was hidden: everything that the page needs to start. */
  ready: v.object({
    question: v.exactOptional(question),
    expanded: v.exactOptional(expanded),
    expandedAll: v.exactOptional(v.boolean()),
    showsRaw: v.exactOptional(v.boolean()),
    /** The row that was at the top. */
    top: v.exactOptional(count),
  }),
  rows: v.object({ generation: count, start: count, end: count }),
  expand: v.object({ row: count, expanded: v.boolean() }),
  expandAll: v.object({ expanded: v.boolean() }),
  /** Shows the rows of raw events in the list, or hides them. */
  showRaw: v.object({ shown: v.boolean() }),
  /** A piece of a text from a UTF-16 code unit on; to be repeated with `next` until that is absent. */
  text: v.object({ ...fieldOfRow, from: count }),
  /** Shows what a question finds; the number is that of the request, for news of its answer. */
  ask: v.object({ number: count, question }),
  /** The values of a field that occur in the transcript, the most frequent first. */
  occurring: v.object({ field: v.pipe(v.string(), v.maxLength(100)) }),
  /** Makes the row of a record visible in the list, and gives its place. */
  reveal: v.object({ position: count }),
  statistics: nothing,
  tools: nothing,
  /** The decisions about tool calls that the filter chooses, from one on. */
  approvals: v.object({ filter: approvalLogFilter, start: count, count }),
  ...contextRequests,
  timeline: v.object({
    from: v.exactOptional(v.number()),
    to: v.exactOptional(v.number()),
    pixels: v.pipe(count, v.maxValue(20_000)),
  }),
  /** Says that neither a timeline nor statistics are shown any more, so that work for them can end. */
  leave: nothing,
  /** The turns from `start` on or, if a time is given, from the one in progress then. */
  turns: v.object({ start: count, count, time: v.exactOptional(v.number()) }),
  /**
   * The position of the next prompt, error, or row of the agent whose row is at `from`, or of the previous one (`by` -1); of the first
   * row of the main line from `from` on (`new`). Absent where there is none.
   */
  next: v.object({
    of: v.picklist(['prompt', 'error', 'agent', 'new']),
    from: v.exactOptional(count),
    by: v.number(),
  }),
  /** Notes a question that the person has made use of, for the history. */
  noteQuestion: v.object({ question }),
  saveQuestion: savedQuestion,
  removeQuestion: v.object({ name: v.string(), scope: v.picklist(QUESTION_SCOPES) }),
  /** Copies a link that opens this transcript with the question. */
  copyQuestionLink: v.object({ question }),
  copyRow: v.object({ row: count, as: v.picklist(['text', 'markdown']) }),
  /** Copies a link that opens this message in any window that can find the session. */
  copyMessageLink: v.object({ row: count }),
  copyText: v.object({ text: v.pipe(v.string(), v.maxLength(1_000_000)) }),
  openInEditor: v.object(fieldOfRow),
  openFile: v.object({ row: count, file: count }),
  /** Shows what a tool call changes in files in the editor's own view of differences. */
  openChanges: v.object({ row: count }),
  /** Opens files as transcripts that the person has dropped on the page, by their URIs. */
  openDropped: v.object({
    addresses: v.pipe(v.array(v.pipe(v.string(), v.maxLength(8_000))), v.minLength(1), v.maxLength(20)),
  }),
  /** Shows what reading the transcript's file has told. */
  showImportReport: nothing,
  /** Lets the person go on with the conversation in another tool or from the row at a position, or leads to that which it goes on from. */
  handOver: v.object({
    at: v.exactOptional(count),
    origin: v.exactOptional(v.picklist(['open', 'compare'])),
  }),
  openLink: v.object({ url: v.pipe(v.string(), v.maxLength(8_000)) }),
  export: v.object({
    format: v.picklist(SAVED_FORMATS),
    scope: v.picklist(['all', 'filtered']),
    target: v.picklist(['editor', 'file', 'clipboard']),
    /** Whether what the person has noted is exported too. */
    withNotes: v.exactOptional(v.boolean()),
  }),
  /** Writes a note about a row, or another text into a note. */
  writeNote: v.object({
    row: count,
    note: v.exactOptional(noteId),
    text: v.pipe(v.string(), v.maxLength(MAX_NOTE_LENGTH)),
  }),
  removeNote: v.object({ note: noteId }),
  /** Undoes the last change of a note of this conversation. */
  undoNote: nothing,
  exportApprovals: v.object({ format: v.picklist(['csv', 'json']), filter: approvalLogFilter }),
  stop: nothing,
  continue: v.object({ text: v.pipe(v.string(), v.minLength(1), v.maxLength(200_000)) }),
  /** What a person chose to do about a failed run. */
  afterFailure: v.object({ way: v.picklist(FAILURE_WAYS) }),
  /** The text now in the chat box. */
  draft: v.object({ text: v.pipe(v.string(), v.maxLength(1_000_000)) }),
  answerApproval: v.object({
    id: v.string(),
    nonce,
    approved: v.boolean(),
    remember: v.boolean(),
    reason: v.exactOptional(shortText),
  }),
} as const;

/** The answers to the requests; where none is named, the answer only says that it is done. */
export interface Answers
  extends Record<Exclude<keyof typeof requests, keyof NamedAnswers>, Done>, NamedAnswers {}

/** Nothing but that it is done. */
export type Done = Record<string, never>;

/** What came of copying or exporting. */
export interface Delivered {
  /** Whether a notice of the editor tells the person what came of it, so that the page need not. */
  readonly isTold: boolean;
}

interface NamedAnswers extends ContextAnswers {
  readonly copyRow: Delivered;
  readonly copyText: Delivered;
  readonly export: Delivered;
  readonly ready: Snapshot;
  readonly rows: RowsAnswer;
  readonly text: { readonly text: string; readonly next?: number; readonly total: number };
  readonly reveal: { readonly generation: number; readonly index: number; readonly id: number };
  readonly statistics: Statistics;
  readonly tools: readonly ToolSummary[];
  readonly approvals: ApprovalLogPage;
  readonly timeline: Timeline;
  readonly turns: TurnPage;
  readonly next: { readonly position?: number };
  readonly occurring: { readonly values: readonly string[] };
  readonly undoNote: { readonly undone: 'written' | 'changed' | 'removed' };
  readonly noteQuestion: KnownQuestions;
  readonly saveQuestion: KnownQuestions;
  readonly removeQuestion: KnownQuestions;
}

/** The name of a request from the page. */
export type RequestName = keyof typeof requests;
/** The parameters of all requests by their names. */
export type AllParams = { readonly [N in RequestName]: v.InferOutput<(typeof requests)[N]> };
/** The parameters of a request. */
export type Params<N extends RequestName> = AllParams[N];
/** The answer to a request. */
export type Answer<N extends RequestName> = Answers[N];

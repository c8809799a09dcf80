import * as v from 'valibot';
import type { FacetValue } from '../../query/numbers/approvalLog.js';
import type { ApprovalLogRow } from './approvals.js';
import type { Contract } from './protocol.js';
import { count } from './row.js';
import { LOCATION_KINDS, type SessionLocation } from './search.js';

/** What the decisions of many transcripts are chosen by; the values of `transcript` are ids, those of `folder` paths. */
export const APPROVAL_LOG_PARTS = [
  'decision',
  'decidedBy',
  'tool',
  'agent',
  'source',
  'folder',
  'transcript',
] as const;
/** See `APPROVAL_LOG_PARTS`. */
export type ApprovalLogPart = (typeof APPROVAL_LOG_PARTS)[number];

const value = v.exactOptional(v.pipe(v.string(), v.maxLength(10_000)));
/** See `ChosenDecisions`. */
export const chosenDecisions = v.object({
  filter: v.object({
    decision: value,
    decidedBy: value,
    tool: value,
    agent: value,
    source: value,
    folder: value,
    transcript: value,
  }),
  /** A text in what was asked, letter case ignored; '' for any. */
  text: v.pipe(v.string(), v.maxLength(1_000)),
});
const path = v.pipe(v.string(), v.maxLength(10_000));
const place = v.object({ kind: v.picklist(LOCATION_KINDS), root: path, conversation: path });
const nothing = v.object({});

/** What the page of all decisions may request, each with its parameters. Anything else is refused. */
export const approvalLogRequests = {
  /** A part of the decisions that are chosen, the newest first; with the first request the reading begins. */
  page: v.object({ ...chosenDecisions.entries, start: count, count }),
  /** Reads everything again. */
  reload: nothing,
  /** Opens a transcript at a record. */
  open: v.object({ place, position: count }),
  /** Opens what is chosen as a text. */
  export: v.object({ ...chosenDecisions.entries, format: v.picklist(['csv', 'json']) }),
} as const;

type ApprovalLogRequestName = keyof typeof approvalLogRequests;

/** What is chosen of the decisions. */
export type ChosenDecisions = v.InferOutput<typeof chosenDecisions>;

/** A decision, and the transcript that it stands in. */
export interface StoredApprovalLogRow extends ApprovalLogRow {
  readonly place: SessionLocation;
  readonly title: string;
}

/** How far everything is read. `unread`: so many transcripts could not be read; `leftOut`: so many decisions are not listed. */
export interface ApprovalLogReading {
  readonly looked: number;
  readonly of: number;
  readonly isDone: boolean;
  readonly unread: number;
  readonly leftOut: number;
}

/** A part of the decisions that are chosen. */
export interface StoredApprovalLogPage {
  /** Of all that was read. */
  readonly approved: number;
  readonly denied: number;
  readonly waitedMs: number;
  /** How many are chosen. */
  readonly matching: number;
  readonly facets: Readonly<Record<ApprovalLogPart, readonly FacetValue[]>>;
  /** The titles of the transcripts that can be chosen, by their ids, and what the folders are called, by their paths. */
  readonly names: Readonly<Record<string, string>>;
  readonly rows: readonly StoredApprovalLogRow[];
  readonly reading: ApprovalLogReading;
}

/** What the page of all decisions and its host say to each other. */
export interface ApprovalLogContract extends Contract {
  readonly params: { readonly [N in ApprovalLogRequestName]: v.InferOutput<(typeof approvalLogRequests)[N]> };
  readonly answers: Record<Exclude<ApprovalLogRequestName, 'page'>, Record<string, never>> & {
    readonly page: StoredApprovalLogPage;
  };
  readonly events: {
    /** More was read. */
    readonly changed: Record<string, never>;
    /** The reading ended for this reason. */
    readonly failed: { readonly message: string };
  };
}

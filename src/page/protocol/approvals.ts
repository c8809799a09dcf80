import * as v from 'valibot';
import type { Approval } from '../../query/numbers/approvals.js';
import type { ApprovalLogFacets } from '../../query/numbers/approvalLog.js';

export type { ApprovalLogFacets, ApprovalLogFilter } from '../../query/numbers/approvalLog.js';

/** The most rows of decisions in one answer. */
export const MAX_APPROVAL_LOG_ROWS = 200;

/** What decisions are chosen by, see `ApprovalLogFilter`. */
export const approvalLogFilter = v.object({
  decision: v.exactOptional(v.picklist(['approved', 'denied'])),
  decidedBy: v.exactOptional(v.pipe(v.string(), v.maxLength(1_000))),
  agent: v.exactOptional(v.pipe(v.string(), v.maxLength(10_000))),
  tool: v.exactOptional(v.pipe(v.string(), v.maxLength(10_000))),
});

/** A decision as a row shows it. */
export interface ApprovalLogRow extends Approval {
  /** The beginning of what was asked, on one line. */
  readonly subject: string;
  readonly reason: string;
  /** The number of the agent's colour. */
  readonly hue: number;
}

/** A part of the decisions that a filter chooses. */
export interface ApprovalLogPage {
  /** Of the whole transcript. */
  readonly approved: number;
  readonly denied: number;
  readonly waitedMs: number;
  /** How many the filter chooses. */
  readonly matching: number;
  readonly facets: ApprovalLogFacets;
  readonly rows: readonly ApprovalLogRow[];
}

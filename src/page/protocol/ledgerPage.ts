import * as v from 'valibot';
import type { FacetValue } from '../../query/numbers/ledger.js';
import type { LedgerRow } from './approvals.js';
import type { Contract } from './protocol.js';
import { count } from './row.js';
import { LOCATION_KINDS, type SessionLocation } from './search.js';

/** What the decisions of many transcripts are chosen by; the values of `transcript` are ids, those of `folder` paths. */
export const LEDGER_PARTS = [
  'decision',
  'decidedBy',
  'tool',
  'agent',
  'source',
  'folder',
  'transcript',
] as const;
/** See `LEDGER_PARTS`. */
export type LedgerPart = (typeof LEDGER_PARTS)[number];

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
export const ledgerRequests = {
  /** A part of the decisions that are chosen, the newest first; with the first request the reading begins. */
  page: v.object({ ...chosenDecisions.entries, start: count, count }),
  /** Reads everything again. */
  reload: nothing,
  /** Opens a transcript at a record. */
  open: v.object({ place, position: count }),
  /** Opens what is chosen as a text. */
  export: v.object({ ...chosenDecisions.entries, format: v.picklist(['csv', 'json']) }),
} as const;

type LedgerRequestName = keyof typeof ledgerRequests;

/** What is chosen of the decisions. */
export type ChosenDecisions = v.InferOutput<typeof chosenDecisions>;

/** A decision, and the transcript that it stands in. */
export interface StoredLedgerRow extends LedgerRow {
  readonly place: SessionLocation;
  readonly title: string;
}

/** How far everything is read. `unread`: so many transcripts could not be read; `leftOut`: so many decisions are not listed. */
export interface LedgerReading {
  readonly looked: number;
  readonly of: number;
  readonly isDone: boolean;
  readonly unread: number;
  readonly leftOut: number;
}

/** A part of the decisions that are chosen. */
export interface StoredLedgerPage {
  /** Of all that was read. */
  readonly approved: number;
  readonly denied: number;
  readonly waitedMs: number;
  /** How many are chosen. */
  readonly matching: number;
  readonly facets: Readonly<Record<LedgerPart, readonly FacetValue[]>>;
  /** The titles of the transcripts that can be chosen, by their ids, and what the folders are called, by their paths. */
  readonly names: Readonly<Record<string, string>>;
  readonly rows: readonly StoredLedgerRow[];
  readonly reading: LedgerReading;
}

/** What the page of all decisions and its host say to each other. */
export interface LedgerContract extends Contract {
  readonly params: { readonly [N in LedgerRequestName]: v.InferOutput<(typeof ledgerRequests)[N]> };
  readonly answers: Record<Exclude<LedgerRequestName, 'page'>, Record<string, never>> & {
    readonly page: StoredLedgerPage;
  };
  readonly events: {
    /** More was read. */
    readonly changed: Record<string, never>;
    /** The reading ended for this reason. */
    readonly failed: { readonly message: string };
  };
}

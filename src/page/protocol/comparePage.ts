import * as v from 'valibot';
import type { Contract } from './protocol.js';
import { count } from './row.js';
import { LOCATION_KINDS } from './search.js';

/** A longer question is refused, see `searchRequests`. */
const MAX_QUESTION = 100_000;
/** How many rows one request may ask for. */
export const MAX_ROWS_ASKED = 200;

export const COMPARE_FORMATS = ['markdown', 'html', 'csv'] as const;
/** A form in which a comparison leaves. */
export type CompareFormat = (typeof COMPARE_FORMATS)[number];

const nothing = v.object({});
const side = v.picklist(['left', 'right']);

/** How runs are compared, as a person chose it. */
const choices = v.object({
  /** What is compared as it is. */
  keep: v.pipe(v.array(v.pipe(v.string(), v.maxLength(40))), v.maxLength(20)),
  /** With which of the runs that were named the others are compared, from 1, or with the most typical one; the first where nothing is said. */
  baseline: v.exactOptional(v.union([count, v.literal('typical')])),
});
export type CompareChoices = v.InferOutput<typeof choices>;

/** What a page keeps, so that it can be shown again when its window was closed. */
export const keptComparison = v.object({
  places: v.pipe(
    v.array(
      v.object({
        // `replay`: of a stored conversation, which is run again to be looked at.
        kind: v.picklist([...LOCATION_KINDS, 'replay']),
        root: v.string(),
        conversation: v.string(),
        run: v.exactOptional(count),
      }),
    ),
    v.minLength(1),
    v.maxLength(200),
  ),
  choices,
});
export type KeptComparison = v.InferOutput<typeof keptComparison>;

/** What the page of a comparison may request, each with its parameters. Anything else is refused. */
export const compareRequests = {
  /** The first request of a page. */
  ready: nothing,
  /** Compares again. */
  again: choices,
  cancel: nothing,
  /** The rows from `from` on. */
  rows: v.object({ from: count, count: v.pipe(count, v.maxValue(MAX_ROWS_ASKED)) }),
  /** The steps of both runs, or of one with `side:left`, that a question finds. */
  ask: v.object({ text: v.pipe(v.string(), v.maxLength(MAX_QUESTION)) }),
  /** Shows what both said in a row, in the editor's own view of differences. */
  bodies: v.object({ row: count }),
  /** Opens a transcript at a step of a row. */
  open: v.object({ row: count, side }),
  /** Opens a run of several, or compares it with the baseline. */
  openRun: v.object({ run: count, as: v.picklist(['transcript', 'comparison']) }),
  export: v.object({ format: v.picklist(COMPARE_FORMATS) }),
} as const;

/** A step as it is shown: what it did, in words. */
export interface CompareStep {
  readonly number: number;
  readonly agent: string;
  readonly words: string;
  readonly isBad: boolean;
}

/** A step of both runs, or of one. */
export interface CompareRow {
  readonly depth: number;
  readonly left?: CompareStep;
  readonly right?: CompareStep;
  /** What is different, in words; '' where nothing is. */
  readonly difference: string;
  readonly detail: string;
}

/** A table as it is shown. */
export interface CompareTable {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns with numbers. */
  readonly numbers: readonly number[];
}

/** A number of several runs: where each of them stands between the least and the most, from 0 to 1. */
export interface CompareSpread {
  readonly name: string;
  readonly words: string;
  readonly median: number;
  readonly points: readonly { readonly run: number; readonly at: number; readonly isFar: boolean }[];
}

/** A rule by which something was taken as equal. */
export interface CompareRule {
  readonly name: string;
  readonly words: string;
  readonly isOn: boolean;
}

/** What was compared. */
export interface CompareView {
  readonly title: string;
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly rules: readonly CompareRule[];
  readonly tables: readonly CompareTable[];
  /** Of two runs: for each row whether it is the same (`=`), other words only (`~`), or different (`x`). */
  readonly rows?: string;
  readonly names: readonly string[];
  /** Which of the runs that were named each is, from 1: those that could not be read have a number, too. */
  readonly numbers: readonly number[];
  /** Of several runs. */
  readonly spreads: readonly CompareSpread[];
  readonly baseline: number;
}

/** What a question found, in rows. */
export interface CompareFound {
  readonly rows: readonly number[];
  readonly left: number;
  readonly right: number;
  /** Why it could not be answered. */
  readonly problem?: string;
}

/** How far a comparison is. */
export type CompareState =
  | { readonly state: 'comparing'; readonly run: string; readonly done: number; readonly of: number }
  | { readonly state: 'done'; readonly view: CompareView }
  | { readonly state: 'cancelled' }
  | { readonly state: 'failed'; readonly message: string };

type CompareRequestName = keyof typeof compareRequests;

interface NamedAnswers {
  readonly ready: {
    readonly state: CompareState;
    readonly choices: CompareChoices;
    readonly places: KeptComparison['places'];
  };
  readonly rows: { readonly rows: readonly CompareRow[] };
  readonly ask: CompareFound;
}

/** What the page of a comparison and its host say to each other. */
export interface CompareContract extends Contract {
  readonly params: { readonly [N in CompareRequestName]: v.InferOutput<(typeof compareRequests)[N]> };
  readonly answers: Record<Exclude<CompareRequestName, keyof NamedAnswers>, Record<string, never>> &
    NamedAnswers;
  readonly events: { readonly state: CompareState };
}

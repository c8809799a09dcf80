/** A stretch of a question's text, in UTF-16 code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is wrong in a question: where, and what to do, for a person. */
export interface QueryProblem extends Range {
  readonly message: string;
  /** A text that would be right in its place, where one is known. */
  readonly fix?: string;
  /** What the fix takes the place of, where that is more than what is wrong. */
  readonly fixedRange?: Range;
}

/** What is asked for: the things of which a question finds those that match. */
export type RowKind = (typeof ROW_KINDS)[number];

/**
 * Messages; records of any kind, those that carry a message among them; calls of tools; calls of agents; runs; sessions.
 * From small to large.
 */
export const ROW_KINDS = ['messages', 'records', 'toolCalls', 'agentCalls', 'runs', 'sessions'] as const;

/** How a number, a duration or an argument is compared. */
export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** One value of a term, as it stands in the text; what it means is up to the field (see `fields.ts`). */
export type Value =
  | { readonly kind: 'text'; readonly text: string; readonly exact: boolean; readonly range: Range }
  /** Flags without `u`, which is always on unless `v` is. */
  | { readonly kind: 'pattern'; readonly source: string; readonly flags: string; readonly range: Range }
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly text: string;
      readonly range: Range;
    }
  | { readonly kind: 'range'; readonly from: string; readonly to: string; readonly range: Range };

/** `field:value`, or `field:(value OR value)`, of which any will do. A bare word is a term of the field `text`. */
export interface Term {
  readonly kind: 'term';
  /** The name of the field, never an alias. */
  readonly field: string;
  /** The keys behind `args`, outermost first; empty for every other field. */
  readonly path: readonly string[];
  readonly values: readonly Value[];
  readonly range: Range;
}

/** `(a b OR c)`: any of the alternatives; often there is one. */
export interface Group {
  readonly kind: 'group';
  readonly of: readonly Sequence[];
  readonly range: Range;
}

/** `in:(…)`, `under:(…)` and `with:(…)`. */
export interface Inside {
  readonly kind: 'inside';
  readonly where: 'in' | 'under' | 'with';
  readonly of: readonly Sequence[];
  readonly range: Range;
}

/** `-` before anything. */
export interface Not {
  readonly kind: 'not';
  readonly of: Term | Group | Inside;
  readonly range: Range;
}

/** One of the things that stand side by side. */
export type Part = Term | Group | Inside | Not;

/** Parts side by side: all must hold. */
export interface All {
  readonly kind: 'all';
  readonly of: readonly Part[];
  readonly range: Range;
}

/** What the two sides of an order may be asked to share. */
export type Shared = (typeof SHARED)[number];

/** See `Shared`. */
export const SHARED = ['agent', 'call', 'run', 'tool', 'path'] as const;

/** How far the sides of an order may be apart: in rows between them, or in milliseconds. */
export interface Within {
  readonly unit: 'rows' | 'ms';
  readonly most: number;
}

/** A word of an order, where it stands in the text: for whoever points at it. */
export interface OrderWord {
  readonly word: 'after' | 'before' | 'same' | 'within';
  readonly range: Range;
}

/** `A after B` and `A before B`; A is what is found. */
export interface Order {
  readonly kind: 'order';
  readonly order: 'after' | 'before';
  readonly left: All;
  readonly right: All;
  readonly same: readonly Shared[];
  readonly within: Within | undefined;
  /** Where its words stand, in no particular order. */
  readonly words: readonly OrderWord[];
  readonly range: Range;
}

/** What stands between two brackets, or between a bracket and `OR`. */
export type Sequence = All | Order;

/** A question as it was read. With problems it is only good for marks and completion, never for an answer. */
export interface ParsedQuery {
  readonly text: string;
  readonly query: Sequence;
  /** In the order of their places. */
  readonly problems: readonly QueryProblem[];
}

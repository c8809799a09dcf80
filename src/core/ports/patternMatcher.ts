/** A pattern of a person or a model, and where it is looked for. */
export interface PatternQuestion {
  readonly pattern: string;
  /**
   * `ecmascript`: a regular expression with the flag `u`; `re2`: one in RE2's syntax, which takes linear time; `text`:
   * exactly these characters.
   */
  readonly syntax: 'ecmascript' | 're2' | 'text';
  readonly ignoreCase: boolean;
  /** Further flags of an ECMAScript pattern: `m`, `s` and `y`, and `v` in the place of `u`. */
  readonly flags?: string;
  readonly text: string;
  /**
   * `all`: every match in the text; `lines`: the first match in each line that has one, at most `limit` of either.
   * Empty matches count in lines only.
   */
  readonly find: 'all' | 'lines';
  /** The most matches that are given. */
  readonly limit: number;
}

/** Where a pattern matches, in UTF-16 code units of the text. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
}

/** The matches in order, or why there are none: for an invalid pattern, in the words of its engine. */
export type PatternAnswer =
  | { readonly ok: true; readonly matches: readonly PatternMatch[] }
  | {
      readonly ok: false;
      readonly why: 'invalid' | 'tooSlow' | 'cancelled' | 'broken';
      readonly message: string;
    };

/** Tells a person or a model why a pattern was given up. */
export const PATTERN_TOO_SLOW =
  'The pattern takes too long on this text. Make it simpler: avoid repeats inside of repeats.';

/** What bounds the search for a pattern. */
export interface PatternBounds {
  /** How long it may take, in milliseconds. */
  readonly maxMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Looks for patterns that may take forever, and gives up in time. */
export interface PatternMatcher {
  /** Never rejects. */
  find(question: PatternQuestion, bounds: PatternBounds): Promise<PatternAnswer>;
}

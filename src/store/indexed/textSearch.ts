import { requiredLiteral } from '../../query/requiredLiteral.js';
import { patternIn, textTest, type TextCriteria } from '../../query/textTest.js';
import { caselessBytes } from './caseVariants.js';

/** How matching texts are found in the bytes of a chunk. */
export interface TextSearch {
  /**
   * Finds a place in the next text from `from` on that may match, -1 where there is none; it does not cover `folding`
   * texts. Undefined where each text has to be tested.
   */
  readonly find: ((bytes: string, from: number) => number) | undefined;
  /** Whether everything that `find` finds matches, without a test. */
  readonly isExact: boolean;
  /** Decides on one text. */
  readonly test: (text: string) => boolean;
  /** Whether the test runs a pattern that may never terminate. */
  readonly isRisky: boolean;
}

/**
 * Prepares the text of criteria for a search in chunks; undefined where any text matches. Throws an error that starts
 * with `Invalid regex pattern:` for an invalid pattern.
 */
export function textSearch(criteria: TextCriteria): TextSearch | undefined {
  const test = textTest(criteria);
  const { content, matchCase } = criteria;
  if (!test || content === '') return undefined;
  const pattern = patternIn(criteria);
  if (pattern) return { find: patternFind(pattern), isExact: false, test, isRisky: true };
  const literal = String(content);
  const find = matchCase ? exactFind(literal) : caselessFind(literal);
  return { find, isExact: find !== undefined, test, isRisky: false };
}

type Find = TextSearch['find'];

function exactFind(literal: string): Find {
  // A lone surrogate has no bytes, but may be half of a character that has.
  if (/\p{Surrogate}/u.test(literal)) return undefined;
  const wanted = Buffer.from(literal).toString('latin1');
  return (bytes, from) => bytes.indexOf(wanted, from);
}

function caselessFind(literal: string): Find {
  const pattern = caselessBytes(literal.toLowerCase());
  return pattern && patternOver(pattern);
}

function patternFind(pattern: RegExp): Find {
  const literal = requiredLiteral(pattern);
  if (literal === undefined) return undefined;
  return pattern.ignoreCase ? caselessFind(literal) : exactFind(literal);
}

/** A search by pattern that gives the last byte of a match. */
function patternOver(pattern: RegExp): Find {
  return (bytes, from) => {
    pattern.lastIndex = from;
    return pattern.test(bytes) ? pattern.lastIndex - 1 : -1;
  };
}

import { requiredLiteral } from '../../../query/requiredLiteral.js';
import { patternIn, textTest, type TextCriteria } from '../../../query/textTest.js';
import { caselessBytes } from './caseVariants.js';
import { caselessFind, patternFind, type Find } from './caselessFind.js';

type FindIn = (bytes: string) => Find;

/** How matching texts are found in the bytes of a chunk. */
export interface TextSearch {
  /**
   * Gives what finds, in these bytes, a place in the next text that may match; it does not cover `folding` texts.
   * Undefined where each text has to be tested.
   */
  readonly findIn: FindIn | undefined;
  /** Whether everything that is found so matches, without a test. */
  readonly isExact: boolean;
  /** Decides on one text. */
  readonly test: (text: string) => boolean;
  /** Whether the test runs a pattern that may never terminate. */
  readonly isRisky: boolean;
}

/**
 * Prepares the text of criteria for a search in chunks; undefined where they ask for none. Throws an error that starts
 * with `Invalid regex pattern:` for an invalid pattern.
 */
export function textSearch(criteria: TextCriteria): TextSearch | undefined {
  const test = textTest(criteria);
  if (!test) return undefined;
  const { content, matchCase } = criteria;
  const pattern = patternIn(criteria);
  if (pattern) return { findIn: requiredFind(pattern), isExact: false, test, isRisky: true };
  const literal = String(content);
  if (literal === '') return { findIn: undefined, isExact: false, test, isRisky: false };
  const findIn = matchCase ? exactFind(literal) : anyCaseFind(literal);
  return { findIn, isExact: findIn !== undefined, test, isRisky: false };
}

function exactFind(literal: string): FindIn | undefined {
  // A lone surrogate has no bytes, but may be half of one that has.
  if (/\p{Surrogate}/u.test(literal)) return undefined;
  const wanted = Buffer.from(literal).toString('latin1');
  return (bytes) => (from) => bytes.indexOf(wanted, from);
}

function anyCaseFind(literal: string): FindIn | undefined {
  const lower = literal.toLowerCase();
  if (/^[\0-\x7f]*$/.test(lower)) return (bytes) => caselessFind(bytes, lower);
  const pattern = caselessBytes(lower);
  return pattern && ((bytes) => patternFind(bytes, pattern));
}

/** Finds the literal that a pattern cannot do without. */
function requiredFind(pattern: RegExp): FindIn | undefined {
  const literal = requiredLiteral(pattern);
  if (literal === undefined) return undefined;
  return pattern.ignoreCase ? anyCaseFind(literal) : exactFind(literal);
}

import { requiredLiteral } from '../../query/requiredLiteral.js';
import { patternIn, textTest, type TextCriteria } from '../../query/textTest.js';
import { caselessBytes } from './caseVariants.js';

/** How texts are found among the bytes of a chunk. */
export interface TextSearch {
  /**
   * A place in the next text from `from` on that may be asked for, -1 where there is none; of `folding` texts it says
   * nothing. Undefined where each text has to be tested.
   */
  readonly find: ((bytes: string, from: number) => number) | undefined;
  /** Whether all that is found is asked for, without a test. */
  readonly isExact: boolean;
  /** Decides on one text. */
  readonly test: (text: string) => boolean;
  /** Whether the test runs a pattern that may never end. */
  readonly isRisky: boolean;
}

/**
 * Makes the text of criteria ready to be looked for in chunks; undefined where any text will do. Throws an error that
 * starts with `Invalid regex pattern:` for such a one.
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
  // Half a character has no bytes, but may be half of one that has.
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

/** Gives the last byte of what it finds. */
function patternOver(pattern: RegExp): Find {
  return (bytes, from) => {
    pattern.lastIndex = from;
    return pattern.test(bytes) ? pattern.lastIndex - 1 : -1;
  };
}

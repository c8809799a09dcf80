import { hasOtherForms, sameInEachForm } from '../../../query/literalSearch.js';
import { requiredLiteral } from '../../../query/requiredTexts.js';
import {
  asksForText,
  itemTextTest,
  textTest,
  patternOf,
  type ItemTextTest,
  type Needle,
  type TextCriteria,
  type TextPart,
} from '../../../query/textTest.js';
import { caselessFind, patternFind, type Find } from './caselessFind.js';

/** The last code point that may have a different lower case. */
const LAST = 0x1ffff;

/** Characters whose lower case depends on their neighbours. */
const CONTEXTUAL = /[\u0307\u03c2\u03c3]/;

let known: ReadonlyMap<string, readonly string[]> | undefined;

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
  /** The part of a text in which a place must be found. */
  readonly part: TextPart;
  /** Decides on one text. */
  readonly test: ItemTextTest;
  /** Whether the test runs a pattern that may never terminate. */
  readonly isRisky: boolean;
  /** Whether the chunk cannot decide: each item has to be looked at. */
  readonly needsItem: boolean;
}

/**
 * Prepares several texts, all of which an item must have, for a search in chunks: where the first stands, the others are
 * tested. Undefined where there are none; throws as `textSearch` does.
 */
export function allTextsSearch(criteria: readonly TextCriteria[]): TextSearch | undefined {
  const [first, ...more] = criteria.flatMap((each) => textSearch(each) ?? []);
  if (!first || more.length === 0) return first;
  const tests = [first, ...more].map(({ test }) => test);
  return {
    ...first,
    isExact: false,
    test: (textOfPart) => tests.every((test) => test(textOfPart)),
    isRisky: first.isRisky || more.some(({ isRisky }) => isRisky),
    needsItem: first.needsItem || more.some(({ needsItem }) => needsItem),
  };
}

/**
 * Prepares the text of criteria for a search in chunks; undefined where they ask for none. Throws an error that starts
 * with `Invalid regex pattern:` for an invalid pattern.
 */
export function textSearch(criteria: TextCriteria): TextSearch | undefined {
  const test = itemTextTest(criteria);
  const { content, text, matchCase, wholeWord } = criteria;
  const part = asksForText(criteria) ? 'all' : 'content';
  const needle: Needle | undefined = part === 'all' ? text : content;
  if (!test || needle === undefined) return undefined;
  // Here an empty content and none are the same, but what matches an empty text does not match none.
  const needsItem = textTest(criteria)?.('') === true;
  const isRisky = [text, content].some(
    (each) => each !== undefined && patternOf(each, criteria) !== undefined,
  );
  const pattern = patternOf(needle, criteria);
  if (pattern) return { findIn: requiredFind(pattern), part, isExact: false, test, isRisky, needsItem };
  const literal = String(needle);
  if (hasOtherForms(literal)) {
    const [longest] = [...sameInEachForm(literal)].sort((a, b) => b.length - a.length);
    const findIn = longest === undefined ? undefined : matchCase ? exactFind(longest) : anyCaseFind(longest);
    return { findIn, part, isExact: false, test, isRisky, needsItem };
  }
  const findIn = literal === '' ? undefined : matchCase ? exactFind(literal) : anyCaseFind(literal);
  const isAll = !wholeWord && (part === 'content' || content === undefined);
  return { findIn, part, isExact: isAll && findIn !== undefined, test, isRisky, needsItem };
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

/** The other code points whose lower case is the given one. */
function variantsOf(lower: string): readonly string[] {
  known ??= allVariants();
  return known.get(lower) ?? [];
}

function allVariants(): ReadonlyMap<string, readonly string[]> {
  const variants = new Map<string, string[]>();
  for (let code = 0; code <= LAST; code++) {
    const char = String.fromCodePoint(code);
    const lower = char.toLowerCase();
    if (lower !== char) variants.set(lower, [...(variants.get(lower) ?? []), char]);
  }
  return variants;
}

/**
 * A pattern over UTF-8 bytes, one character each, that finds exactly the texts whose lower case contains `lower`, which
 * must itself be in lower case and not empty; except for `folding` texts, see TEXT. Undefined where only a look at whole
 * texts can decide.
 */
function caselessBytes(lower: string): RegExp | undefined {
  if (CONTEXTUAL.test(lower) || /\p{Surrogate}/u.test(lower)) return undefined;
  const sources = Array.from(lower, (char) => {
    const variants = [char, ...variantsOf(char)];
    return `(?:${variants.map(bytesSource).join('|')})`;
  });
  return new RegExp(sources.join(''), 'g');
}

function bytesSource(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

import { hasOtherForms, sameInEachForm } from '../literalSearch.js';

/**
 * Grams: stretches of a few characters of a text. A text that contains another contains all of its grams, so that a small
 * table of the grams of many texts tells where a search need not look.
 */

/**
 * A text as it is taken apart: as `toLowerCase` has it, which is how searches that ignore case look at it. The long s
 * becomes an s besides, which a pattern that ignores case takes it for.
 */
export function gramsText(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes('ſ') ? `${lower}\n${lower.replaceAll('ſ', 's')}` : lower;
}

/** Words that are so many characters apart, or on two lines, tell nothing together. */
const MAX_GAP = 3;
const NEWLINE = 0x0a;

/**
 * Calls `take` with a number for each gram of a text that `gramsText` gave, some twice: for each three and each four
 * UTF-16 code units side by side in a word, which is a run of letters, digits, `_` and everything beyond ASCII; and for each
 * two words side by side on a line, which are told by the last four of the one, what stands between, and the first three of
 * the other. `isPart`: the text may stand within a longer one, of which these are grams too.
 */
export function eachGram(text: string, take: (gram: number) => void, isPart = false): void {
  // The last four of the word so far; 0 where there are none.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let length = 0;
  // What the word follows: the end of the one before and what stands between; 0 for nothing.
  let before = 0;
  let gap = 0;
  let isWhole = !isPart;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 && WORD[code] === 0) {
      if (length > 0) {
        if (length < 3 && before !== 0) take(gramOf(before, second, third, fourth));
        before = length >= 4 || isWhole ? gramOf(first, second, third, fourth) | 1 : 0;
        first = second = third = fourth = length = gap = 0;
      }
      isWhole = true;
      if (before !== 0)
        before = code === NEWLINE || ++gap > MAX_GAP ? 0 : gramOf(before, BETWEEN, code, 0) | 1;
      continue;
    }
    if (third !== 0) take(gramOf(0, third, fourth, code));
    if (second !== 0) take(gramOf(second, third, fourth, code));
    first = second;
    second = third;
    third = fourth;
    fourth = code;
    if (++length === 3 && before !== 0) take(gramOf(before, second, third, fourth));
  }
  if (!isPart && length > 0 && length < 3 && before !== 0) take(gramOf(before, second, third, fourth));
}

/** No character: it sets what stands between two words apart from what stands in one. */
const BETWEEN = 0x1_0001;

/** 1 for the characters of ASCII that words are made of. */
const WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** A number of 32 bits for some numbers; several may have the same. */
function gramOf(first: number, second: number, third: number, fourth: number): number {
  let hash = Math.imul(first ^ 0x9e37, 0x85eb_ca6b) ^ Math.imul(second, 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4_eb2f) ^ Math.imul(third, 0x1656_67b1) ^ fourth;
  hash = Math.imul(hash ^ (hash >>> 13), 0x85eb_ca6b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The grams that every text has in which `literal` stands, in this letter case or, with `ignoresCase`, in any. None where
 * that is not known of any.
 */
export function gramsOfLiteral(literal: string, ignoresCase: boolean): readonly number[] {
  const grams = new Set<number>();
  const lower = literal.toLowerCase();
  if (hasOtherForms(lower)) {
    for (const part of sameInEachForm(lower)) eachGram(part, (gram) => void grams.add(gram), true);
    return [...grams];
  }
  // The lower case of other letters may depend on what stands around them, which a search for the very letters ignores.
  const sure = ignoresCase ? [lower] : lower.split(/[^\0-\x7f]+/);
  for (const part of sure) eachGram(part, (gram) => void grams.add(gram), true);
  return [...grams];
}

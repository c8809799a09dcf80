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

/**
 * Calls `take` with a number for each gram of a text that `gramsText` gave, some twice: for each three and each four
 * UTF-16 code units side by side in a word, which is a run of letters, digits, `_` and everything beyond ASCII.
 */
export function eachGram(text: string, take: (gram: number) => void): void {
  // The last three of the word so far; 0 where there are none.
  let [first, second, third] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 && WORD[code] === 0) {
      first = second = third = 0;
      continue;
    }
    if (second !== 0) take(gramOf(0, second, third, code));
    if (first !== 0) take(gramOf(first, second, third, code));
    first = second;
    second = third;
    third = code;
  }
}

/** 1 for the characters of ASCII that words are made of. */
const WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** A number of 32 bits for three or four characters; several grams may have the same. */
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
  // The lower case of other letters may depend on what stands around them, which a search for the very letters ignores.
  const sure = ignoresCase ? lower : lower.replace(/[^\0-\x7f]+/g, ' ');
  eachGram(sure, (gram) => void grams.add(gram));
  return [...grams];
}

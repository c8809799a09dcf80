import { escapeRegExp } from '../core/escapeRegExp.js';

/** Whether a text may be written in other characters that look the same and mean it: é is one, or an e and its accent. */
export function hasOtherForms(text: string): boolean {
  return !/^[\0-\x7f]*$/.test(text) && text.normalize('NFC') !== text.normalize('NFD');
}

/** A test for texts as one that finds them in each of their forms: what is looked for has to be composed (NFC). */
export function inEachForm(test: (text: string) => boolean): (text: string) => boolean {
  return (text) => {
    if (test(text)) return true;
    const composed = text.normalize('NFC');
    return composed !== text && test(composed);
  };
}

/** What of a text is the same in each of its forms, in pieces. */
export function sameInEachForm(text: string): readonly string[] {
  // Two signs have a double beyond ASCII that is composed to them, and so has the letter K.
  return text
    .normalize('NFC')
    .split(/[^\0-\x7f]+|[;`kK]/)
    .filter((piece) => piece !== '');
}

/** Engines refuse larger patterns; a longer text, in UTF-16 code units, is searched for as it is. */
const MAX_PATTERN = 1_000;

/**
 * A test for texts that contain `needle`, ignoring case: exactly `text.toLowerCase().includes(needle.toLowerCase())`.
 * For an ASCII needle a regular expression gives the same answer about twice as fast, because it copies no text.
 */
export function containsIgnoringCase(needle: string): (text: string) => boolean {
  const lower = needle.toLowerCase();
  if (lower === '') return () => true;
  if (lower.length > MAX_PATTERN || !/^[\0-\x7f]*$/.test(lower))
    return (text) => text.toLowerCase().includes(lower);
  const pattern = new RegExp(asciiPattern(lower), 'i');
  return (text) => pattern.test(text);
}

/**
 * Two letters outside ASCII have ASCII in their lower case, which the flag `i` ignores: U+212A, the Kelvin sign,
 * becomes `k`; U+0130 becomes `i` and a combining dot, so it can only be the last letter of a match.
 */
function asciiPattern(lower: string): string {
  const escaped = escapeRegExp(lower).replace(/k/g, '(?:k|\\u212a)');
  return escaped.endsWith('i') ? `${escaped.slice(0, -1)}(?:i|\\u0130)` : escaped;
}

/** What words are made of. */
const LETTER = '[\\p{L}\\p{N}_]';
const WORD = new RegExp(LETTER, 'u');

/** The source of a pattern, with the flag `u`, for what another one matches as a whole word, as `containsWord` has it. */
export function wholeWordSource(source: string): string {
  return `(?<!${LETTER})(?:${source})(?!${LETTER})`;
}

/** A test for texts in which `needle` stands as a whole word: without a letter, a digit or `_` before or after it. */
export function containsWord(needle: string, matchCase: boolean): (text: string) => boolean {
  const wanted = matchCase ? needle : needle.toLowerCase();
  if (wanted === '') return () => true;
  return (text) => {
    const searched = matchCase ? text : text.toLowerCase();
    for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + 1)) {
      const before = Array.from(searched.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
      const end = at + wanted.length;
      const after = Array.from(searched.slice(end, end + 2))[0] ?? '';
      if (!WORD.test(before) && !WORD.test(after)) return true;
    }
    return false;
  };
}

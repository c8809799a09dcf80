import { escapeRegExp } from '../../../core/escapeRegExp.js';

/** The index of the last character of the next match that begins at `from` or behind it; -1 where there is none. */
export type Find = (from: number) => number;

/** How many characters of a text are looked at to learn how rare a letter is in it. */
const SAMPLE = 16 * 1024;
/**
 * A search for one letter is worth it up to one in so many characters: it passes over memory some ten times as fast as a
 * pattern does, but each letter found costs a try (measured on the texts of `npm run bench -- query`).
 */
const CHARACTERS_PER_TRY = 300;

/** The letter of a literal that is searched for first. */
interface Anchor {
  /** Its index in the literal. */
  readonly offset: number;
  /** It in lower and upper case; one form where they are the same. */
  readonly forms: readonly string[];
}

/** Finds an ASCII literal in a text, ignoring case. It must be asked with ascending `from`. */
export function caselessFind(text: string, literal: string): Find {
  const source = escapeRegExp(literal);
  const anchor = rarest(text.slice(0, SAMPLE), literal);
  if (!anchor) return patternFind(text, new RegExp(source, 'gi'));
  const endFrom = patternFind(text, new RegExp(source, 'iy'));
  const next = anchorFind(text, anchor);
  return (from) => {
    for (let at = next(from); at >= 0; at = next(at + 1)) {
      const end = endFrom(at);
      if (end >= 0) return end;
    }
    return -1;
  };
}

/** Finds the matches of a pattern that is global or sticky. */
export function patternFind(text: string, pattern: RegExp): Find {
  return (from) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex - 1 : -1;
  };
}

/** Finds the places where the literal would begin if its anchor is part of it. */
function anchorFind(text: string, { offset, forms: [lower = '', upper = lower] }: Anchor): Find {
  let [nextLower, nextUpper] = [-1, lower === upper ? Infinity : -1];
  return (from) => {
    const least = from + offset;
    if (nextLower < least) nextLower = placeOf(lower, text, least);
    if (nextUpper < least) nextUpper = placeOf(upper, text, least);
    const next = Math.min(nextLower, nextUpper);
    return next === Infinity ? -1 : next - offset;
  };
}

function placeOf(letter: string, text: string, from: number): number {
  const position = text.indexOf(letter, from);
  return position < 0 ? Infinity : position;
}

/** Undefined where every letter is too frequent to be searched for alone. */
function rarest(sample: string, literal: string): Anchor | undefined {
  let least = Math.floor(sample.length / CHARACTERS_PER_TRY) + 1;
  let anchor: Anchor | undefined;
  for (let offset = 0; offset < literal.length; offset++) {
    const letter = literal.charAt(offset);
    const forms = [...new Set([letter.toLowerCase(), letter.toUpperCase()])];
    const count = forms.reduce((sum, form) => sum + countOf(form, sample, least), 0);
    if (count >= least) continue;
    least = count;
    anchor = { offset, forms };
  }
  return anchor;
}

/** How often a letter occurs in a text, counted up to `most`. */
function countOf(letter: string, text: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0 && count < most; at = text.indexOf(letter, at + 1)) count++;
  return count;
}

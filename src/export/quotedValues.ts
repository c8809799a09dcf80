import { VALUE_BEGIN } from './secretPatterns.js';

/** A part of a text, from `start` up to, not including, `end`, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Longer values are no secrets, in UTF-16 code units. */
const MAX_VALUE = 4_096;
/** Shorter values are rather words of a program. */
const MIN_VALUE = 6;
const MIN_ASSIGNED = 8;

/**
 * Where the quoted values of names like `password` stand, in order: whole, with blanks and escapes, up to the quote that
 * ends them, also where JSON stands in JSON. In JSON every value counts, elsewhere only one that has a digit.
 */
export function quotedValues(text: string): Span[] {
  const spans: Span[] = [];
  const begin = new RegExp(VALUE_BEGIN);
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const [, nameQuote, slashes = '', quote = '"'] = match;
    const start = begin.lastIndex;
    const end = endOf(text, start, quote, slashes.length);
    const isSecret =
      nameQuote === undefined
        ? end - start >= MIN_ASSIGNED && /\d/.test(text.slice(start, end))
        : end - start >= MIN_VALUE;
    if (!isSecret) continue;
    spans.push({ start, end });
    begin.lastIndex = end;
  }
  return spans;
}

/**
 * The end of a quoted value. A quote behind back slashes ends it where there are as many as before its begin, whole
 * escaped back slashes not counted; with fewer the text around ends. Without any end: the first blank.
 */
function endOf(text: string, start: number, quote: string, slashes: number): number {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let run = 0;
  for (let at = start; at < limit; at++) {
    const character = text[at];
    if (character === '\n') break;
    if (character === quote && (run < slashes || run % (2 * (slashes + 1)) === slashes)) return at - run;
    run = character === '\\' ? run + 1 : 0;
  }
  const rest = text.slice(start, limit);
  const blank = rest.search(/[\s"'\\]/);
  return start + (blank < 0 ? rest.length : blank);
}

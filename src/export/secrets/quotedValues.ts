import { isRedactedAt, type Span, NAME } from './redacted.js';
import { valuesBehind, type WrittenValue } from './notations.js';

/**
 * What stands between a name and its quoted value, up to the opening quote. Groups: the closing quote of the name, if it is quoted, as in
 * JSON; the backslashes before the value's quote, as in JSON nested in JSON; the quote.
 */
const VALUE_BEGIN =
  /(\\{0,8}["'])?\s{0,4}(?:=>|:=|[:=,])\s{0,4}(?:[bruf]{1,2}(?=["']))?(\\{0,8})(["'])(?!\3\3)/iy;

const NAMES = new RegExp(NAME, 'gi');

/** The longest value with spaces, in UTF-16 code units; anything longer is probably prose after a stray quote. */
const MAX_SPACED = 4_096;
/** Shorter values are probably words of a program. */
const MIN_VALUE = 6;
const MIN_ASSIGNED = 8;

/**
 * The spans of the quoted values of names like `password`, in order: complete, with spaces and escapes, up to the closing
 * quote, even in JSON nested in JSON. Where the name is quoted, as in JSON, every value counts, else only one with a
 * digit.
 */
export function quotedValues(text: string): WrittenValue[] {
  const spans: WrittenValue[] = [];
  NAMES.lastIndex = 0;
  for (let at = nextName(text); at > 0; at = nextName(text)) {
    const quoted = quotedBehind(text, at);
    const found = quoted ? [quoted] : valuesBehind(text, at);
    for (const span of found) {
      if (isRedactedAt(text, span.start)) continue;
      spans.push(span);
      NAMES.lastIndex = span.end;
    }
  }
  return spans;
}

/** Where the next name ends; 0 behind the last one. */
function nextName(text: string): number {
  return NAMES.test(text) ? NAMES.lastIndex : 0;
}

function quotedBehind(text: string, at: number): Span | undefined {
  VALUE_BEGIN.lastIndex = at;
  const match = VALUE_BEGIN.exec(text);
  if (!match) return undefined;
  const [, nameQuote, slashes = '', quote = '"'] = match;
  const start = VALUE_BEGIN.lastIndex;
  const end = endOf(text, start, quote, slashes.length);
  const isSecret =
    nameQuote === undefined
      ? end - start >= MIN_ASSIGNED && /\d/.test(text.slice(start, end))
      : end - start >= MIN_VALUE;
  return isSecret ? { start, end } : undefined;
}

/**
 * The end of a quoted value. A quote after backslashes closes it where there are as many as before its opening quote,
 * not counting escaped backslashes; with fewer, the surrounding text ends. Without a closing quote it ends at the first
 * white space. The opening quote of the next value of this kind also counts as an end, so all values of a text together
 * take linear time.
 */
function endOf(text: string, start: number, quote: string, slashes: number): number {
  let run = 0;
  let isSpaced = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '\n' || (isSpaced && at - start >= MAX_SPACED)) break;
    if (character === quote && (run < slashes || run % (2 * (slashes + 1)) === slashes)) return at - run;
    run = character === '\\' ? run + 1 : 0;
    isSpaced ||= character === ' ' || character === '\t';
  }
  const bare = /[^\s"'\\]*/y;
  bare.lastIndex = start;
  return start + (bare.exec(text)?.[0].length ?? 0);
}

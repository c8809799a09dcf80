/** Escapes that match one character or position and take no further characters of the pattern. */
const PLAIN_ESCAPE = /[dDwWsSbBnrtfv]/;
/** Shorter literals occur nearly everywhere, so that looking for them first gains nothing. */
const MIN_LITERAL = 2;

/**
 * The longest ASCII text that occurs in everything a pattern matches, in the letter case of the pattern; undefined where
 * none is known. Groups are skipped, and a pattern that is not understood gives none.
 */
export function requiredLiteral({ source, flags }: RegExp): string | undefined {
  // With this flag classes nest, which `endOfClass` does not handle.
  if (flags.includes('v')) return undefined;
  const runs = [''];
  for (let at = 0; at < source.length;) {
    const token = tokenAt(source, at);
    if (!token) return undefined;
    at = token.end;
    const count = quantifierAt(source, at);
    at = count.end;
    const kept = count.least > 0 ? token.literal : '';
    runs.push((runs.pop() ?? '') + kept);
    // A repetition, or anything but a literal, separates what comes before it from what follows.
    if (kept === '' || count.isThere) runs.push('');
  }
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest.length >= MIN_LITERAL ? longest : undefined;
}

interface Token {
  readonly end: number;
  /** '' for anything but a single literal character. */
  readonly literal: string;
}

/** The token at a place; undefined where it is not understood, or where an alternative of the whole pattern starts. */
function tokenAt(source: string, at: number): Token | undefined {
  const char = source.charAt(at);
  if (char === '|' || char === ')') return undefined;
  if (char === '\\') return escapeAt(source, at);
  if (char === '[') return other(endOfClass(source, at));
  if (char === '(') return other(endOfGroup(source, at));
  if ('.^$'.includes(char) || char > '\x7f') return { end: at + 1, literal: '' };
  return '*+?{}]'.includes(char) ? undefined : { end: at + 1, literal: char };
}

function other(end: number): Token | undefined {
  return end < 0 ? undefined : { end, literal: '' };
}

function escapeAt(source: string, at: number): Token | undefined {
  const char = source.charAt(at + 1);
  if (PLAIN_ESCAPE.test(char)) return { end: at + 2, literal: '' };
  return /[^A-Za-z0-9\x80-\uffff]/.test(char) ? { end: at + 2, literal: char } : undefined;
}

/** The least number of repetitions, read from the quantifier at a place, if there is one. */
function quantifierAt(source: string, at: number): { end: number; least: number; isThere: boolean } {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at, at + 40));
  if (!found) return { end: at, least: 1, isThere: false };
  const least = found[0].startsWith('+') ? 1 : Number(found[1] ?? 0);
  return { end: at + found[0].length, least, isThere: true };
}

function endOfClass(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']') return at + 1;
  }
  return -1;
}

function endOfGroup(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '[') at = endOfClass(source, at) - 1;
    else if (source[at] === '(') depth++;
    else if (source[at] === ')' && --depth === 0) return at + 1;
    if (at < 0) return -1;
  }
  return -1;
}

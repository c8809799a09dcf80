/**
 * The value of a JSON text as programs write it: Python's `NaN`, `Infinity` and `-Infinity` become texts of these words, and line
 * breaks, tabs and other control characters that stand raw in a string are taken as they are. Throws a SyntaxError for
 * what is no JSON even so.
 */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const mended = mendedJson(text);
    if (mended === undefined) throw error;
    return JSON.parse(mended) as unknown;
  }
}

/** A glance that is enough for nearly every text that is no JSON: without one of these nothing can be mended. */
const MENDABLE = /NaN|Infinity|[\0-\x1f]/;

/** Only objects and lists are mended: a word on its own is a text. */
const BEGIN = /^\s*[[{]/;

/** Numbers that JSON does not have, and control characters that it wants to be escaped. */
const WORD = /-?(?:NaN|Infinity)(?![\w$])/y;

/** The text with what is legal elsewhere written as JSON has it; undefined where nothing of that stands in it. */
function mendedJson(text: string): string | undefined {
  if (!BEGIN.test(text) || !MENDABLE.test(text)) return undefined;
  const parts: string[] = [];
  let from = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let instead: string | undefined;
    let length = 1;
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
      else if (code < SPACE) instead = escaped(code);
    } else if (code === QUOTE) isInString = true;
    else if (code === MINUS || code === UPPER_N || code === UPPER_I) {
      WORD.lastIndex = at;
      const word = WORD.exec(text)?.[0];
      if (word !== undefined) [instead, length] = [`"${word}"`, word.length];
    }
    if (instead === undefined) continue;
    parts.push(text.slice(from, at), instead);
    from = at + length;
    at = from - 1;
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(from);
}

const [SPACE, QUOTE, MINUS, UPPER_I, UPPER_N, BACKSLASH] = [0x20, 0x22, 0x2d, 0x49, 0x4e, 0x5c];

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

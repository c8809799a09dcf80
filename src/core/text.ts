/** How much of a result a dispatch line shows, in code points. */
export const PREVIEW_LENGTH = 200;

/** The first `limit` code points of `text`; what was longer ends in `...`. Never half a character. */
export function preview(text: string, limit: number = PREVIEW_LENGTH): string {
  const head = firstCodePoints(text, limit);
  return head.length === text.length ? text : `${head}...`;
}

const SURROGATE = /[\ud800-\udfff]/;

/** The longest beginning of `text` with at most `limit` code points. */
export function firstCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.max(0, limit));
  if (!SURROGATE.test(head)) return head;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** One line of text: every run of white space and controls becomes one space. */
export function singleLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/**
 * The words of an error for a person or a record: its message, never its stack. Whatever is thrown has some, and this
 * never throws itself: who asks for the words of an error must not end by another one.
 */
export function messageOf(error: unknown): string {
  try {
    const message: unknown =
      typeof error === 'object' && error !== null && 'message' in error && error.message;
    return typeof message === 'string' ? message : String(error);
  } catch {
    // An object without a text, or one that throws when it is looked at.
    return 'an error that says nothing of itself';
  }
}

import { greatestOf } from './lists.js';
import { withoutTerminalSequences } from './terminalText.js';

/** How much of a task or a result a dispatch line shows, in code points. */
export const PREVIEW_LENGTH = 200;

/** The first `limit` code points of `text`, followed by `...` where something was cut off. */
export function preview(text: string, limit: number = PREVIEW_LENGTH): string {
  const head = firstCodePoints(text, limit);
  return head.length === text.length ? text : `${head}...`;
}

const SURROGATE = /[\ud800-\udfff]/;

/** The longest prefix of `text` with at most `limit` code points. */
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

/**
 * The text on one line: what steers a terminal is left out, and every run of white space and control characters becomes one
 * space. A control that became a space would leave the rest of its sequence, which may cut a secret in two.
 */
export function singleLine(text: string): string {
  return withoutTerminalSequences(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * The message of an error, without its stack, for a person or a record. Takes whatever may be thrown and never throws
 * itself, so that handling one error cannot raise another.
 */
export function messageOf(error: unknown): string {
  try {
    const message: unknown =
      typeof error === 'object' && error !== null && 'message' in error && error.message;
    return typeof message === 'string' ? message : String(error);
  } catch {
    // An object that cannot be converted to a string, or whose getter throws.
    return 'an error that says nothing of itself';
  }
}

/** A text in a Markdown code fence that is longer than any in it. */
export function fenced(text: string, language = ''): string {
  const longest = greatestOf(
    Array.from(text.matchAll(/`+/g), ([run]) => run.length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** How many lines a text has; 0 for none. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

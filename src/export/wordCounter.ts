import { textOf } from '../core/message.js';
import type { TokenCounter } from '../ports/tokenCounter.js';

/** Stands in for a missing counter where a format wants a number in any case: one token for each word. */
export const wordCounter: TokenCounter = {
  count: (text) => countWords(text),
  countMessage: ({ content }) => countWords(textOf(content)),
};

/** How many runs of characters that are no white space a text has. */
function countWords(text: string): number {
  let words = 0;
  let isInside = false;
  for (let i = 0; i < text.length; i++) {
    const isSpace = isWhiteSpace(text.charCodeAt(i));
    if (!isSpace && !isInside) words++;
    isInside = !isSpace;
  }
  return words;
}

function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return /\s/.test(String.fromCharCode(code));
}

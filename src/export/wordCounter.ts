import { textOf } from '../core/message.js';
import type { TokenCounter } from '../ports/tokenCounter.js';

/** Stands in for a missing counter where a format wants a number in any case: one token for each word. */
export const wordCounter: TokenCounter = {
  count: (text) => countWords(text),
  countMessage: ({ content }) => countWords(textOf(content)),
};

/** 1 for the characters of ASCII that are no white space, else 0. */
const SOLID = Uint8Array.from({ length: 0x80 }, (_, code) => (/\s/.test(String.fromCharCode(code)) ? 0 : 1));

/** How many runs of characters that are no white space a text has. */
function countWords(text: string): number {
  let words = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const solid = SOLID[text.charCodeAt(i)] ?? isSolid(text.charAt(i));
    // Without a branch, because where words end nobody can foresee, a processor neither.
    words += solid & (before ^ 1);
    before = solid;
  }
  return words;
}

function isSolid(character: string): number {
  return /\s/.test(character) ? 0 : 1;
}

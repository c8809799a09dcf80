import { textOf } from '../core/message.js';
import type { TokenCounter } from '../ports/tokenCounter.js';

/** The fallback where a format needs a number and no counter is given: one token per word of content. */
export const wordCounter: TokenCounter = {
  count: (text) => countWords(text),
  countMessage: ({ content }) => countWords(textOf(content)),
};

/** For each ASCII code: 0 for white space, else 1. */
const SOLID = Uint8Array.from({ length: 0x80 }, (_, code) => (/\s/.test(String.fromCharCode(code)) ? 0 : 1));

/** The number of runs of non-white-space characters in a text. */
function countWords(text: string): number {
  let words = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const solid = SOLID[text.charCodeAt(i)] ?? isSolid(text.charAt(i));
    // Branchless, because the ends of words are unpredictable.
    words += solid & (before ^ 1);
    before = solid;
  }
  return words;
}

function isSolid(character: string): number {
  return /\s/.test(character) ? 0 : 1;
}

import { Tiktoken } from 'js-tiktoken/lite';
import cl100kBase from 'js-tiktoken/ranks/cl100k_base';
import o200kBase from 'js-tiktoken/ranks/o200k_base';
import type { Encoding } from '../../src/query/tokens/encodingForModel.js';

const ranks = { o200k_base: o200kBase, cl100k_base: cl100kBase };

/**
 * The split pattern of an encoding as the engine of tiktoken's WASM build reads it, where js-tiktoken's differs: there
 * `\s` is Unicode's white space (no U+FEFF, but U+0085), and ignoring case U+017F is an s.
 */
export function referencePattern(encoding: Encoding): string {
  return ranks[encoding].pat_str
    .replaceAll('\\s', '\\p{White_Space}')
    .replaceAll('\\S', '\\P{White_Space}')
    .replaceAll("'s|", "'s|'\u017f|");
}

/** js-tiktoken's encoding, corrected to {@link referencePattern}; quadratic, so for short pieces only. */
export function referenceEncode(encoding: Encoding): (text: string) => number[] {
  const reference = new Tiktoken({ ...ranks[encoding], pat_str: referencePattern(encoding) });
  return (text) => reference.encode(text, [], []);
}

import { CHARACTERS_PER_TOKEN } from '../../../core/usage.js';

/** From here on (CJK and beyond), a character is about a token of its own. */
const FIRST_WIDE = 0x2e80;
/** How many characters of a text are looked at, evenly spread: enough to tell its script. */
const LOOKS = 32;

/**
 * About how many tokens a text is, without reading all of it: a quarter of its UTF-16 code units, and one for each that is
 * of a script like Chinese, as far as a sample tells.
 */
export function aboutTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  return Math.ceil(tokensPerUnit(wideShare(text)) * length);
}

/** The same of a text of ASCII, by its length. */
export function tokensOfAscii(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}

/** About how many tokens a text is of which only the beginning is here; `bytes` is how long all of it is in UTF-8. */
export function aboutTokensOf(beginning: string, bytes: number): number {
  const wide = wideShare(beginning);
  return Math.ceil(tokensPerUnit(wide) * (Math.min(bytes, MAX_BYTES) / (1 + BYTES_MORE * wide)));
}

/** A character of a wide script takes three bytes in UTF-8, two more than others. */
const BYTES_MORE = 2;

/** No text is longer, whatever a record claims. */
const MAX_BYTES = 2 ** 40;

function tokensPerUnit(wide: number): number {
  return wide + (1 - wide) / CHARACTERS_PER_TOKEN;
}

/** The share of a text's code units that are of a script like Chinese. */
function wideShare(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  const step = Math.max(1, Math.floor(length / LOOKS));
  let wide = 0;
  let looks = 0;
  for (let at = 0; at < length && looks < LOOKS; at += step, looks++) {
    if (text.charCodeAt(at) >= FIRST_WIDE) wide++;
  }
  return wide / looks;
}

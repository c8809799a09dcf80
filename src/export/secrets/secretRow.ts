import type { WrittenValue } from './notations.js';

/**
 * What a text must hold for a pattern to be tried: a character that is rare in texts, and what stands before and after
 * it, as the sources of regular expressions.
 */
export interface SecretSign {
  readonly before?: string;
  /** One character. */
  readonly at: string;
  readonly after?: string;
}

/** One kind of secret: how it is found, and a text in which it is and one in which it is not. */
export interface SecretRow {
  readonly name: string;
  /** What placeholders call it; absent: what `kindOf` makes of the name. */
  readonly kind?: string;
  /** Of several, one is enough. Absent: the pattern is tried wherever `SECRET_WORD` matches, or `SPOKEN_WORD` where it is spoken. */
  readonly sign?: SecretSign | readonly SecretSign[];
  readonly isSpoken?: boolean;
  /**
   * A global pattern, of which group 1, where there is one, is kept, or a function that gives the spans of the secrets in
   * ascending order. Takes linear time: each repetition is bounded, or ends at the first character outside of its class
   * and needs nothing behind it.
   */
  readonly find: RegExp | ((text: string) => readonly WrittenValue[]);
  /** Whether a match is one indeed; what is a placeholder is none in any case. */
  readonly accepts?: (value: string) => boolean;
  /** A text with one such secret. `{36}` stands for so many characters, see `fillExample`. */
  readonly example: string;
  /** A similar text without any. */
  readonly counterExample: string;
}

/** What may precede a key: no letter or digit, unless it ends an escape sequence of JSON, of a URL or of a terminal. */
export const BEFORE =
  '(?:^|[^A-Za-z0-9]|\\\\[bfnrtv]|\\\\u[0-9A-Fa-f]{4}|\\\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\\[[0-9;]{0,16}[A-Za-z])';

/** The start of a key. What precedes it is checked last, so that the engine can search for the prefix. */
export const begins = (prefix: string) => `${prefix}(?<=${BEFORE}${prefix})`;

/** Requires a digit among the next characters of a class: words rarely have one, keys nearly always. */
export const hasDigit = (characters: string) => `(?=${characters}{0,200}\\d)`;

const LETTERS = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0hJxLnRqUkX';
const HEX = '3f9a1c7e5b2d8046';
const UPPER = 'Q7ZT4KX2MB6NW3PL';
const DIGITS = '4182937506';

/**
 * A text in which each `{36}` is replaced by so many letters and digits, `{h32}` by hexadecimal digits, `{A16}` by
 * capitals and digits, `{d10}` by digits, and `{u}` by a UUID: examples that no scanner takes for keys that leaked.
 */
export function fillExample(template: string): string {
  return template.replace(/\{(u|[hAd]?)(\d{0,3})\}/g, (whole, kind: string, length: string) => {
    if (kind === 'u') return '3f9a1c7e-5b2d-4046-8c1d-9e7f2a6b5c40';
    if (length === '') return whole;
    const characters = kind === 'h' ? HEX : kind === 'A' ? UPPER : kind === 'd' ? DIGITS : LETTERS;
    return characters.repeat(Math.ceil(Number(length) / characters.length)).slice(0, Number(length));
  });
}

/**
 * What the split patterns of the encodings ask of a character, as bits; a character may have several. The classes of
 * all code points stand in the ranks file, where scripts/tokenRanks.mjs puts them from this table of Unicode's.
 */
export const characterClass = {
  /** May stand in the upper-case part of a word: Lu, Lt, Lm, Lo, M. */
  upper: 0b1,
  /** May stand in the lower-case part of a word: Ll, Lm, Lo, M. */
  lower: 0b10,
  /** A letter: L. */
  letter: 0b100,
  /** Neither letter, number nor white space; marks are of this class too. */
  other: 0b1000,
  /** A number: N. */
  number: 0b10000,
  /** White space, line ends too: White_Space. */
  space: 0b100000,
  /** CR or LF. */
  lineEnd: 0b1000000,
} as const;

/** A character of two to four bytes: its class stands in the tables by code point. */
export const LONG = 0b10000000;

/** The byte behind the end of a text: UTF-8 never holds it, and it belongs to no class. */
export const END = 0xff;

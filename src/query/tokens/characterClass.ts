/**
 * The character classes that the split patterns of the encodings distinguish, as bits; a character may have several. The
 * classes of all code points are in the ranks file, where scripts/tokenRanks.mjs puts them.
 */
export const characterClass = {
  /** Allowed in the upper-case part of a word: Lu, Lt, Lm, Lo, M. */
  upper: 0b1,
  /** Allowed in the lower-case part of a word: Ll, Lm, Lo, M. */
  lower: 0b10,
  /** A letter: L. */
  letter: 0b100,
  /** Neither letter, number nor white space; includes marks. */
  other: 0b1000,
  /** A number: N. */
  number: 0b10000,
  /** White space, including line ends: White_Space. */
  space: 0b100000,
  /** CR or LF. */
  lineEnd: 0b1000000,
} as const;

/** Marks a character of two to four bytes, whose class is looked up by code point. */
export const LONG = 0b10000000;

/** The byte after the end of a text: it never occurs in UTF-8 and belongs to no class. */
export const END = 0xff;

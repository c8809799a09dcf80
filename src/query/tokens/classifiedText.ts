import type { RankTable } from './rankTable.js';

/** The size in bytes of the buffer that is kept from text to text; a larger one is released with the next small text. */
const INITIAL_BYTES = 256 * 1024;

/** How many bytes may be read past the end of a text. */
const MARGIN = 16;

/** A text as UTF-8 bytes, with the classes of its characters. */
export class ClassifiedText {
  /** The text's bytes, then {@link END}; what follows is garbage from earlier texts. */
  bytes = new Uint8Array(INITIAL_BYTES);
  /** The same bytes, for reading several at once, up to {@link MARGIN} past the end of the text. */
  view = new DataView(this.bytes.buffer);
  /** The number of the text's bytes. */
  length = 0;
  readonly #encoder = new TextEncoder();
  readonly #byteClasses = new Uint8Array(256);
  readonly #blocks: Uint8Array;
  readonly #classes: Uint8Array;

  constructor({ classBlocks, classes }: RankTable) {
    this.#blocks = classBlocks;
    this.#classes = classes;
    this.#byteClasses.set(classes.subarray(0, 128));
    this.#byteClasses.fill(LONG, 128);
    this.#byteClasses[END] = 0;
  }

  /** Replaces the text; a lone surrogate becomes U+FFFD, as always in UTF-8. */
  set(text: string): void {
    this.#makeRoom(text);
    this.length = this.#encoder.encodeInto(text, this.bytes).written;
    this.bytes[this.length] = END;
  }

  /** The class of the character that starts at a byte; 0 at the end. */
  classAt(at: number): number {
    const byteClass = this.#byteClasses[this.bytes[at] ?? END] ?? 0;
    return byteClass === LONG ? this.#classOfLong(at) : byteClass;
  }

  /** The start of the character after the one at `at`. */
  next(at: number): number {
    const lead = this.bytes[at] ?? END;
    return at + (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
  }

  /** The end of the run of characters from `at` on that have one of the wanted classes. */
  endOfRun(at: number, wanted: number): number {
    const { bytes } = this;
    const byteClasses = this.#byteClasses;
    for (;;) {
      const byteClass = byteClasses[bytes[at] ?? END] ?? 0;
      if ((byteClass & wanted) !== 0) at++;
      else if (byteClass === LONG && (this.#classOfLong(at) & wanted) !== 0) at = this.next(at);
      else return at;
    }
  }

  #makeRoom(text: string): void {
    // A UTF-16 code unit takes at most three bytes; for a long text, counting is cheaper than too large a buffer.
    const most = 3 * text.length + MARGIN;
    const needed = most <= INITIAL_BYTES ? INITIAL_BYTES : Buffer.byteLength(text) + MARGIN;
    const wasteful = needed <= INITIAL_BYTES && this.bytes.length > INITIAL_BYTES;
    if (this.bytes.length >= needed && !wasteful) return;
    this.bytes = new Uint8Array(needed);
    this.view = new DataView(this.bytes.buffer);
  }

  #classOfLong(at: number): number {
    const { bytes } = this;
    const lead = bytes[at] ?? 0;
    let codePoint = (bytes[at + 1] ?? 0) & 0x3f;
    if (lead < 0xe0) codePoint |= (lead & 0x1f) << 6;
    else {
      codePoint = (codePoint << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
      if (lead < 0xf0) codePoint |= (lead & 0x0f) << 12;
      else codePoint = (codePoint << 6) | ((bytes[at + 3] ?? 0) & 0x3f) | ((lead & 0x07) << 18);
    }
    return this.#classes[((this.#blocks[codePoint >> 8] ?? 0) << 8) | (codePoint & 0xff)] ?? 0;
  }
}

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

import { ClassifiedText } from './classifiedText.js';
import type { Encoding } from './encodingForModel.js';
import { PieceEncoder } from './pieceEncoder.js';
import { rankTable, type RankTable } from './rankTable.js';
import { pieceEndCl100k, pieceEndO200k, type PieceEnd } from './splitPieces.js';
import { textParts } from './tokenService.js';

/** How many UTF-16 code units are converted to bytes at a time: these fit into the caches of a processor core. */
const PART = 48 * 1024;

/**
 * Byte pair encoding like tiktoken's `encode_ordinary`: what looks like a special token is plain text. Exact for every
 * text, in roughly linear time.
 */
export class BytePairEncoder {
  readonly #text: ClassifiedText;
  readonly #pieceEnd: PieceEnd;
  readonly #pieces: PieceEncoder;
  readonly #cache: PieceCache;

  /** `ranks` is the content of the encoding's ranks file; throws where it is not one. */
  constructor(encoding: Encoding, ranks: ArrayBuffer) {
    const table = rankTable(ranks);
    const pieces = new PieceEncoder(table);
    this.#text = new ClassifiedText(table);
    this.#pieceEnd = encoding === 'o200k_base' ? pieceEndO200k : pieceEndCl100k;
    this.#pieces = pieces;
    this.#cache = new PieceCache(table, (bytes, start, end) => pieces.encode(bytes, start, end));
  }

  /** The number of tokens of a text. */
  count(text: string): number {
    let tokens = 0;
    for (const part of textParts(text, PART)) {
      this.#eachPiece(part, (start, end) => {
        tokens += this.#cache.count(this.#text, start, end);
      });
    }
    return tokens;
  }

  /** The tokens of a text. */
  encode(text: string): number[] {
    const tokens: number[] = [];
    for (const part of textParts(text, PART)) {
      this.#eachPiece(part, (start, end) => {
        const count = this.#pieces.encode(this.#text.bytes, start, end);
        for (const token of this.#pieces.tokens.subarray(0, count)) tokens.push(token);
      });
    }
    return tokens;
  }

  #eachPiece(part: string, take: (start: number, end: number) => void): void {
    const text = this.#text;
    text.set(part);
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = this.#pieceEnd(text, start);
      take(start, end);
    }
  }
}

/** The longest piece kept, in bytes: 99 % of those in prose and code are no longer. */
const MAX_PIECE = 12;
const SLOT_BITS = 16;
/** The longest that is kept apart, in bytes: a word of eight letters of three bytes. */
const MAX_LONG_PIECE = 24;
const LONG_SLOT_BITS = 12;

/** Masks for each four bytes of a piece, by its length. */
const masks = [0, 4, 8, 12, 16, 20].map(masksFrom);
const [firstMasks, secondMasks, thirdMasks] = masks as [Int32Array, Int32Array, Int32Array];

/**
 * The token counts of recent short pieces, because texts repeat their words. A direct-mapped cache: each piece has one
 * slot, from which it evicts the previous one. A slot holds the piece's bytes in three numbers, then its length and its
 * count.
 */
class PieceCache {
  readonly #slots: Int32Array;
  /** The same for longer ones: six numbers, the length and the count. */
  readonly #longSlots = new Int32Array(8 << LONG_SLOT_BITS);
  readonly #count: (bytes: Uint8Array, start: number, end: number) => number;

  /** Starts with the pieces of the table; `count` counts those that are not in the cache. */
  constructor({ pieces }: RankTable, count: (bytes: Uint8Array, start: number, end: number) => number) {
    this.#slots = pieces.slice();
    this.#count = count;
  }

  /** The number of tokens of the piece from `start` to `end` (not empty). */
  count(text: ClassifiedText, start: number, end: number): number {
    const { bytes, view } = text;
    const length = end - start;
    if (length > MAX_PIECE) return this.#countLong(text, start, end);
    const first = view.getInt32(start, true) & (firstMasks[length] ?? 0);
    const second = view.getInt32(start + 4, true) & (secondMasks[length] ?? 0);
    const third = view.getInt32(start + 8, true) & (thirdMasks[length] ?? 0);
    const slot = slotOf(first, second, third);
    const slots = this.#slots;
    const known = slots[slot + 3] ?? 0;
    const same = slots[slot] === first && slots[slot + 1] === second && slots[slot + 2] === third;
    if (same && known >> 8 === length) return known & 0xff;
    const tokens = this.#count(bytes, start, end);
    slots[slot] = first;
    slots[slot + 1] = second;
    slots[slot + 2] = third;
    slots[slot + 3] = (length << 8) | tokens;
    return tokens;
  }

  #countLong({ bytes, view }: ClassifiedText, start: number, end: number): number {
    const length = end - start;
    if (length > MAX_LONG_PIECE) return this.#count(bytes, start, end);
    let mixed = length;
    for (let word = 0; word < masks.length; word++)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x9e3779b1) ^ wordAt(view, start, word, length);
    const slot = (Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f) >>> (32 - LONG_SLOT_BITS)) << 3;
    const slots = this.#longSlots;
    let same = slots[slot + 6] === length;
    for (let word = 0; same && word < masks.length; word++)
      same = slots[slot + word] === wordAt(view, start, word, length);
    if (same) return slots[slot + 7] ?? 0;
    const tokens = this.#count(bytes, start, end);
    for (let word = 0; word < masks.length; word++) slots[slot + word] = wordAt(view, start, word, length);
    slots[slot + 6] = length;
    slots[slot + 7] = tokens;
    return tokens;
  }
}

/** The bytes of a piece from a word of four on, without what follows the piece. */
function wordAt(view: DataView, start: number, word: number, length: number): number {
  return view.getInt32(start + 4 * word, true) & (masks[word]?.[length] ?? 0);
}

function slotOf(first: number, second: number, third: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f) >>> (32 - SLOT_BITS)) << 2;
}

function masksFrom(from: number): Int32Array {
  return Int32Array.from({ length: MAX_LONG_PIECE + 1 }, (_, length) => {
    const bytes = Math.min(4, Math.max(0, length - from));
    return bytes === 4 ? -1 : (1 << (8 * bytes)) - 1;
  });
}

import type { ClassifiedText } from './classifiedText.js';
import type { RankTable } from './rankTable.js';

/** Pieces up to this many bytes are kept: 99 % of those in prose and code. */
const LONGEST = 12;
const SLOT_BITS = 16;

/** Which bits of a piece's first, second and third four bytes belong to it, by its length. */
const [firstMasks, secondMasks, thirdMasks] = [masksFrom(0), masksFrom(4), masksFrom(8)];

/**
 * The token counts of short pieces that were counted lately: a text says the same words again and again. Each piece
 * has one place, which it takes from the one there before. A slot holds the piece's bytes in three numbers, then its
 * length and its count.
 */
export class PieceCache {
  readonly #slots: Int32Array;
  readonly #count: (bytes: Uint8Array, start: number, end: number) => number;

  /** Begins with the pieces of the table, and asks `count` for the tokens of those that it does not know. */
  constructor({ pieces }: RankTable, count: (bytes: Uint8Array, start: number, end: number) => number) {
    this.#slots = pieces.slice();
    this.#count = count;
  }

  /** The number of tokens of the piece from `start` to `end` (not empty). */
  count({ bytes, view }: ClassifiedText, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST) return this.#count(bytes, start, end);
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
}

function slotOf(first: number, second: number, third: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f) >>> (32 - SLOT_BITS)) << 2;
}

function masksFrom(from: number): Int32Array {
  return Int32Array.from({ length: LONGEST + 1 }, (_, length) => {
    const bytes = Math.min(4, Math.max(0, length - from));
    return bytes === 4 ? -1 : (1 << (8 * bytes)) - 1;
  });
}

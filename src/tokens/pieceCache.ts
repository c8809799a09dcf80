import type { ClassifiedText } from './classifiedText.js';
import type { RankTable } from './rankTable.js';

/** The longest piece kept, in bytes: 99 % of those in prose and code are no longer. */
const MAX_PIECE = 12;
const SLOT_BITS = 16;

/** Masks for the first, second and third four bytes of a piece, by its length. */
const [firstMasks, secondMasks, thirdMasks] = [masksFrom(0), masksFrom(4), masksFrom(8)];

/**
 * The token counts of recent short pieces, because texts repeat their words. A direct-mapped cache: each piece has one
 * slot, from which it evicts the previous one. A slot holds the piece's bytes in three numbers, then its length and its
 * count.
 */
export class PieceCache {
  readonly #slots: Int32Array;
  readonly #count: (bytes: Uint8Array, start: number, end: number) => number;

  /** Starts with the pieces of the table; `count` counts those that are not in the cache. */
  constructor({ pieces }: RankTable, count: (bytes: Uint8Array, start: number, end: number) => number) {
    this.#slots = pieces.slice();
    this.#count = count;
  }

  /** The number of tokens of the piece from `start` to `end` (not empty). */
  count({ bytes, view }: ClassifiedText, start: number, end: number): number {
    const length = end - start;
    if (length > MAX_PIECE) return this.#count(bytes, start, end);
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
  return Int32Array.from({ length: MAX_PIECE + 1 }, (_, length) => {
    const bytes = Math.min(4, Math.max(0, length - from));
    return bytes === 4 ? -1 : (1 << (8 * bytes)) - 1;
  });
}

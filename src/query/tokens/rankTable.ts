/** The ranks of one encoding, as views onto the buffer that scripts/tokenRanks.mjs lays out. */
export interface RankTable {
  /** A hash table with open addressing and two numbers per slot; see {@link pairRank}. */
  readonly pairs: Int32Array;
  /** log2 of the number of slots. */
  readonly pairBits: number;
  /** The token of each single byte. */
  readonly singles: Int32Array;
  /** The length of each token in bytes. */
  readonly lengths: Uint8Array;
  /** For every 256 code points, their block in `classes`. */
  readonly classBlocks: Uint8Array;
  /** Blocks of 256 character classes; see `characterClass`. */
  readonly classes: Uint8Array;
  /** The initial slots of a `PieceCache`. */
  readonly pieces: Int32Array;
}

/** The result of {@link pairRank} for tokens that do not merge: larger than every rank. */
export const NO_RANK = 0x7fffffff;

const MAGIC = 0x4b4e5242;
const LAYOUT = 2;
const HEADER_NUMBERS = 8;
const CLASS_BLOCKS = 0x1100;
const PIECE_SLOTS = 1 << 16;

/** Creates the views onto the content of a ranks file; throws where it is not one, or has another layout. */
export function rankTable(content: ArrayBuffer): RankTable {
  const length = Math.min(HEADER_NUMBERS, content.byteLength >> 2);
  const [magic, layout, tokens = 0, pairBits = 0, blocks = 0] = new Int32Array(content, 0, length);
  if (magic !== MAGIC || layout !== LAYOUT) throw new Error('These are not the token ranks of this version.');
  let end = 4 * HEADER_NUMBERS;
  const section = (bytes: number): [ArrayBuffer, number, number] => {
    const start = end;
    end += (bytes + 3) & ~3;
    return [content, start, bytes];
  };
  const words = ([buffer, start, bytes]: [ArrayBuffer, number, number]) =>
    new Int32Array(buffer, start, bytes >> 2);
  return {
    pairs: words(section(8 << pairBits)),
    pairBits,
    singles: words(section(4 * 256)),
    lengths: new Uint8Array(...section(tokens)),
    classBlocks: new Uint8Array(...section(CLASS_BLOCKS)),
    classes: new Uint8Array(...section(blocks * 256)),
    pieces: words(section(16 * PIECE_SLOTS)),
  };
}

/**
 * The token that two adjacent tokens merge to, which is also its rank, or {@link NO_RANK}. A slot holds the left token
 * and the low 14 bits of the right one, then the right one's high 4 bits and the merged token; 0 is an empty slot.
 */
export function pairRank(table: RankTable, left: number, right: number): number {
  const { pairs, pairBits } = table;
  const mask = (1 << pairBits) - 1;
  const key = (left << 14) | (right & 0x3fff);
  const high = right >>> 14;
  let slot = Math.imul(Math.imul(left, 0x9e3779b1) + right, 0x85ebca6b) >>> (32 - pairBits);
  for (;;) {
    const value = pairs[2 * slot + 1] ?? 0;
    if (value === 0) return NO_RANK;
    if (pairs[2 * slot] === key && value >>> 18 === high) return value & 0x3ffff;
    slot = (slot + 1) & mask;
  }
}

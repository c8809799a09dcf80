import { eachGram, gramsText } from '../../../query/language/grams.js';

/** A block holds the texts of consecutive records, of so many UTF-16 code units or one more record. */
const BLOCK_TEXT = 4_000_000;
/**
 * A block has so many bits for each of its grams, but at most so many bytes for each unit of its texts. With eight bits, one
 * gram of twenty is there by chance; with the four or five that a short session has room for, one of eight: words have so
 * many grams that hardly one is there with all of them.
 */
const BITS_PER_GRAM = 8;
const MAX_SHARD = 0.05;
/** While a block is filled, its grams are marked in a table of so many bits. */
const TABLE_BITS = 2 ** 22;
/** One table for all: of its own for each session, they would be most of the memory that reading many short ones takes. */
const table = new Uint8Array(TABLE_BITS / 8);
/** Which block is marked; 0 for none. */
let marked = 0;
/** How many blocks there were. */
let blockCount = 0;

/** The grams in the texts of consecutive records: two bits for each, which others have by chance. */
export interface GramBlock {
  /** The position of the first record. */
  readonly first: number;
  readonly bits: Uint8Array;
}

/** A block that is being filled. */
interface Filling {
  /** Its number among all. */
  readonly number: number;
  readonly first: number;
  readonly grams: number[];
  /** How many UTF-16 code units its texts have. */
  text: number;
}

/** Gathers the grams of the texts of a session, record by record. */
export class GramFilterBuilder {
  readonly #blocks: Filling[] = [];
  #next = 0;

  /** Adds the texts of the next record. */
  add(texts: readonly string[]): void {
    const last = this.#blocks.at(-1);
    const block =
      last && last.text < BLOCK_TEXT ? last : { number: ++blockCount, first: this.#next, grams: [], text: 0 };
    if (block !== last) this.#blocks.push(block);
    this.#next++;
    this.#fill(block, texts);
  }

  /** Adds further texts of a record that was added before. */
  addTo(position: number, texts: readonly string[]): void {
    const block = this.#blocks.findLast(({ first }) => first <= position);
    if (block) this.#fill(block, texts);
  }

  /** The blocks with all texts so far. */
  blocks(): readonly GramBlock[] {
    return this.#blocks.map(({ first, grams, text }) => {
      const wanted = Math.min(grams.length * BITS_PER_GRAM, text * MAX_SHARD * 8);
      const bits = new Uint8Array(Math.max(1, Math.ceil(wanted / 8)));
      for (const position of grams)
        for (const factor of FACTORS) {
          const at = bitOf(position, factor, bits.length);
          bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
        }
      return { first, bits };
    });
  }

  #fill(block: Filling, texts: readonly string[]): void {
    mark(block);
    const { grams } = block;
    for (const text of texts) {
      block.text += text.length;
      eachGram(gramsText(text), (gram) => {
        const position = gram & (TABLE_BITS - 1);
        const bit = 1 << (position & 7);
        const byte = table[position >>> 3] ?? 0;
        if ((byte & bit) !== 0) return;
        table[position >>> 3] = byte | bit;
        grams.push(position);
      });
    }
  }
}

/** Marks the grams that a block has, and no others, so that none is listed twice. */
function mark({ number, grams }: Filling): void {
  if (marked === number) return;
  table.fill(0);
  for (const position of grams) table[position >>> 3] = (table[position >>> 3] ?? 0) | (1 << (position & 7));
  marked = number;
}

/** For each of the bits of a gram another. */
const FACTORS = [0x9e37_79b1, 0x85eb_ca6b] as const;

/** Blocks as bytes, before others: how many, then of each its first position and its size, 32 bits each, then their bits. */
export function withBlocks(blocks: readonly GramBlock[], others: Buffer): Buffer {
  const head = Buffer.alloc(4 + 8 * blocks.length);
  head.writeUInt32LE(blocks.length, 0);
  for (const [at, { first, bits }] of blocks.entries()) {
    head.writeUInt32LE(first, 4 + 8 * at);
    head.writeUInt32LE(bits.length, 8 + 8 * at);
  }
  return Buffer.concat([head, ...blocks.map(({ bits }) => bits), others]);
}

/** What `withBlocks` wrote, over the same memory; undefined where it does not fit together. */
export function blocksBefore(
  bytes: Buffer,
): { readonly blocks: readonly GramBlock[]; readonly others: Buffer } | undefined {
  const count = bytes.length < 4 ? Infinity : bytes.readUInt32LE(0);
  let at = 4 + 8 * count;
  if (at > bytes.length) return undefined;
  const blocks: GramBlock[] = [];
  for (let block = 0; block < count; block++) {
    const length = bytes.readUInt32LE(8 + 8 * block);
    if (length === 0 || at + length > bytes.length) return undefined;
    blocks.push({ first: bytes.readUInt32LE(4 + 8 * block), bits: bytes.subarray(at, (at += length)) });
  }
  return { blocks, others: bytes.subarray(at) };
}

/** One of the bits of a gram in a block of so many bytes. */
function bitOf(position: number, factor: number, bytes: number): number {
  const mixed = Math.imul(position, factor);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % (bytes * 8);
}

/** Whether a text with all of these grams may stand in blocks: in those of some records; without these, in any. */
export function mayHaveGrams(
  blocks: readonly GramBlock[],
  grams: readonly number[],
  positions?: readonly number[],
): boolean {
  const some = positions ? blocksOf(blocks, positions) : blocks;
  // The texts of a tool call may stand in two blocks, in parts, so each gram may be in another.
  return grams.every((gram) => {
    const position = gram & (TABLE_BITS - 1);
    return some.some(({ bits }) => hasGram(bits, position));
  });
}

function hasGram(bits: Uint8Array, position: number): boolean {
  return FACTORS.every((factor) => {
    const at = bitOf(position, factor, bits.length);
    return ((bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  });
}

function blocksOf(blocks: readonly GramBlock[], positions: readonly number[]): readonly GramBlock[] {
  if (blocks.length < 2) return blocks;
  const found = new Set<GramBlock>();
  for (const position of positions) {
    const block = blocks.findLast(({ first }) => first <= position);
    if (block) found.add(block);
  }
  return [...found];
}

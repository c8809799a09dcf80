/** "BNRK", and the number of this layout; src/query/tokens/rankTable.ts reads no other. */
const MAGIC = 0x4b4e5242;
const LAYOUT = 2;
/** Bits of a token's number in a pair's slot. */
const TOKEN_BITS = 18;
/** log2 of the slots for pieces, and how many bytes a piece in them may have. */
const PIECE_BITS = 16;
const PIECE_BYTES = 12;

/**
 * The content of a ranks file, little endian, to be used as it lies in memory: a header of eight 32-bit numbers (magic,
 * layout, tokens, log2 of the pair slots, blocks of classes, 0, 0, 0), the pair slots (two 32-bit numbers each), the
 * tokens of the 256 single bytes (32 bits each), the byte lengths of all tokens (8 bits each), the index and the blocks
 * of the character classes, then the slots of pieces (four 32-bit numbers each). Every section starts at a multiple of 4.
 * @param {string} bpeRanks js-tiktoken's text: lines of `! <first rank> <token in base64> …`
 * @param {{ index: Uint8Array, blocks: Uint8Array }} classes
 */
export function ranksFile(bpeRanks, classes) {
  const tokens = tokensOf(bpeRanks);
  if (tokens.length >= 1 << TOKEN_BITS)
    throw new Error(`${tokens.length} tokens need more than ${TOKEN_BITS} bits`);
  const singles = singleBytes(tokens);
  // Slots are at most half full, so that a pair that is no token is soon known to be none.
  const pairBits = Math.ceil(Math.log2(tokens.length)) + 1;
  const slots = new Int32Array(2 << pairBits);
  for (const [left, right, rank] of mergesOf(tokens, singles)) insertPair(slots, pairBits, left, right, rank);
  const header = Int32Array.of(MAGIC, LAYOUT, tokens.length, pairBits, classes.blocks.length / 256, 0, 0, 0);
  const lengths = Uint8Array.from(tokens, (token) => token.length);
  const sections = [header, slots, singles, lengths, classes.index, classes.blocks, pieceSlots(tokens)];
  return Buffer.concat(sections.map(padded));
}

/**
 * The bytes of every token, by rank, as strings of one character a byte.
 * @param {string} bpeRanks
 */
function tokensOf(bpeRanks) {
  /** @type {string[]} */
  const tokens = [];
  for (const line of bpeRanks.split('\n')) {
    const [, first, ...encoded] = line.split(' ');
    for (const [index, token] of encoded.entries()) tokens[Number(first) + index] = atob(token);
  }
  return tokens;
}

/** @param {readonly string[]} tokens */
function singleBytes(tokens) {
  const singles = new Int32Array(256).fill(-1);
  for (const [rank, token] of tokens.entries()) {
    if (token.length === 1) singles[token.charCodeAt(0)] = rank;
  }
  if (singles.includes(-1)) throw new Error('a single byte has no token');
  return singles;
}

/**
 * The two tokens that each longer token comes from, with its rank. The merging in src/query/tokens relies on what is thrown
 * for here: that there are exactly two, and that both have lower ranks.
 * @param {readonly string[]} tokens
 * @param {Int32Array} singles
 * @returns {Generator<[left: number, right: number, rank: number]>}
 */
function* mergesOf(tokens, singles) {
  /** @type {Map<number, number>} */
  const ranks = new Map();
  for (const [rank, token] of tokens.entries()) {
    if (token.length === 1) continue;
    const [left, right, ...rest] = mergedToken(token, singles, ranks);
    if (left === undefined || right === undefined || rest.length > 0) {
      throw new Error(`token ${rank} is not made of two tokens`);
    }
    if (left >= rank || right >= rank) throw new Error(`token ${rank} has a lower rank than its parts`);
    ranks.set(pairKey(left, right), rank);
    yield [left, right, rank];
  }
}

/**
 * What the bytes of a token become by the pairs that have a lower rank.
 * @param {string} token
 * @param {Int32Array} singles
 * @param {ReadonlyMap<number, number>} ranks
 */
function mergedToken(token, singles, ranks) {
  const parts = Array.from(token, (byte) => Number(singles[byte.charCodeAt(0)]));
  for (;;) {
    let lowest = Infinity;
    let at = -1;
    for (const [index, part] of parts.slice(0, -1).entries()) {
      const rank = ranks.get(pairKey(part, Number(parts[index + 1]))) ?? Infinity;
      if (rank < lowest) [lowest, at] = [rank, index];
    }
    if (at < 0) return parts;
    parts.splice(at, 2, lowest);
  }
}

/**
 * @param {number} left
 * @param {number} right
 */
function pairKey(left, right) {
  return left * 2 ** TOKEN_BITS + right;
}

/**
 * Puts a pair where src/query/tokens/rankTable.ts looks for it.
 * @param {Int32Array} slots
 * @param {number} pairBits
 * @param {number} left
 * @param {number} right
 * @param {number} rank
 */
function insertPair(slots, pairBits, left, right, rank) {
  const mask = (1 << pairBits) - 1;
  let slot = Math.imul(Math.imul(left, 0x9e3779b1) + right, 0x85ebca6b) >>> (32 - pairBits);
  while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
  slots[2 * slot] = (left << 14) | (right & 0x3fff);
  slots[2 * slot + 1] = ((right >>> 14) << TOKEN_BITS) | rank;
}

/**
 * Puts short tokens where src/query/tokens/bytePairEncoder.ts looks for pieces, so that it begins with the words that are most
 * frequent: those of the lowest ranks.
 * @param {readonly string[]} tokens
 */
function pieceSlots(tokens) {
  const slots = new Int32Array(4 << PIECE_BITS);
  for (const token of tokens.toReversed()) {
    if (token.length > PIECE_BYTES) continue;
    const bytes = Buffer.alloc(PIECE_BYTES);
    bytes.write(token, 'latin1');
    const [first, second, third] = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8)];
    const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
    const slot = Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f) >>> (32 - PIECE_BITS);
    slots.set([first, second, third, (token.length << 8) | 1], 4 * slot);
  }
  return slots;
}

/** @param {Int32Array | Uint8Array} section */
function padded(section) {
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.byteLength);
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

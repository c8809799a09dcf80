/**
 * What the split patterns of the encodings ask of a character, as src/query/tokens/characterClass.ts names it; the first
 * pattern that fits.
 * @type {[RegExp, number][]}
 */
const patterns = [
  [/[\p{Lu}\p{Lt}]/u, 0b101],
  [/\p{Ll}/u, 0b110],
  [/[\p{Lm}\p{Lo}]/u, 0b111],
  [/\p{M}/u, 0b1011],
  [/\p{N}/u, 0b10000],
  [/[\r\n]/u, 0b1100000],
  // Not \s: in JavaScript that has U+FEFF and lacks U+0085, unlike in the engine that the patterns were made for.
  [/\p{White_Space}/u, 0b100000],
];
const OTHER = 0b1000;
const BLOCKS = 0x110000 / 256;

/**
 * The class of every code point: for every 256 of them the number of a block of 256 classes. Equal blocks are one.
 * @returns {{ index: Uint8Array, blocks: Uint8Array }}
 */
export function characterClasses() {
  const index = new Uint8Array(BLOCKS);
  /** @type {Uint8Array[]} */
  const blocks = [];
  /** @type {Map<string, number>} */
  const known = new Map();
  for (let block = 0; block < BLOCKS; block++) {
    const classes = Uint8Array.from({ length: 256 }, (_, low) => classOf(block * 256 + low));
    const number = known.get(classes.join()) ?? blocks.push(classes) - 1;
    known.set(classes.join(), number);
    index[block] = number;
  }
  if (blocks.length > 256) throw new Error(`${blocks.length} blocks of classes cannot be told by one byte`);
  return { index, blocks: Buffer.concat(blocks) };
}

/** @param {number} codePoint */
function classOf(codePoint) {
  const character = String.fromCodePoint(codePoint);
  return patterns.find(([pattern]) => pattern.test(character))?.[1] ?? OTHER;
}

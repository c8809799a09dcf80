import { ClassifiedText } from './classifiedText.js';
import type { Encoding } from './encodingForModel.js';
import { PieceCache } from './pieceCache.js';
import { PieceEncoder } from './pieceEncoder.js';
import { rankTable } from './rankTable.js';
import { pieceEndCl100k, pieceEndO200k, type PieceEnd } from './splitPieces.js';
import { textParts } from './textParts.js';

/** How many UTF-16 units are turned to bytes at once: those fit into the caches of a processor core. */
const PART = 48 * 1024;

/**
 * The byte pair encoding of texts as tiktoken's `encode_ordinary` has it: what looks like a special token is plain text.
 * Exact for every text, in time about linear in its length.
 */
export class BytePairEncoder {
  readonly #text: ClassifiedText;
  readonly #pieceEnd: PieceEnd;
  readonly #pieces: PieceEncoder;
  readonly #cache: PieceCache;

  /** Takes the content of the encoding's ranks file; throws where it is none. */
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

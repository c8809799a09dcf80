import { ClassifiedText } from './classifiedText.js';
import type { Encoding } from './encodingForModel.js';
import { PieceCache } from './pieceCache.js';
import { PieceEncoder } from './pieceEncoder.js';
import { rankTable } from './rankTable.js';
import { pieceEndCl100k, pieceEndO200k, type PieceEnd } from './splitPieces.js';
import { textParts } from './textParts.js';

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

import { createHash } from 'node:crypto';
import { isObject } from '../../core/message.js';
import { MADE_OF, MAX_KNOWN, namesIn, PIECES } from '../../import/reading/repeatedTexts.js';

/** What is shorter, in characters, is written as it is. */
const MIN_TEXT = 4096;
/** How long pieces are at least and at most; in between they end where a few characters before say so. */
const MIN_PIECE = 512;
const MAX_PIECE = 32 * 1024;
/** One of so many characters ends a piece. */
const ENDS = 1024;
/** How deep a text may lie that is written in pieces, which lie deeper than it. */
const MAX_DEPTH = 100;

/**
 * Writes the long texts of the lines of one recording in pieces, each once: programs send with every span all that was said. Pieces
 * end by what stands there, so that a text that goes on, or differs in the middle, has the pieces of the one before it.
 */
export class TextPieces {
  #known = new Set<string>();
  #length = 0;

  /** A line as it is written; what it tells is known from then on. */
  written(line: Readonly<Record<string, unknown>>): string {
    const whole = JSON.stringify(line);
    if (whole.length < MIN_TEXT) return whole;
    const pieces = new Map<string, string>();
    let isForged = PIECES in line;
    const packed = (value: unknown, depth: number): unknown => {
      if (typeof value === 'string')
        return value.length < MIN_TEXT || depth > MAX_DEPTH ? value : { [MADE_OF]: namesOf(value, pieces) };
      if (Array.isArray(value)) return value.map((each) => packed(each, depth + 1));
      if (!isObject(value)) return value;
      isForged ||= namesIn(value) !== undefined;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, packed(each, depth + 1)]));
    };
    const body = packed(line, 0) as Readonly<Record<string, unknown>>;
    // What somebody sends that looks as if it were in pieces stays what it is.
    if (isForged || pieces.size === 0) return whole;
    const added = [...pieces].filter(([name]) => !this.#known.has(name));
    for (const [name, { length }] of added) {
      this.#known.add(name);
      this.#length += length;
    }
    if (this.#length > MAX_KNOWN) this.forget();
    return JSON.stringify({ [PIECES]: Object.fromEntries(added), ...body });
  }

  /** Counts on nothing that was written before. */
  forget(): void {
    this.#known = new Set();
    this.#length = 0;
  }
}

function namesOf(text: string, pieces: Map<string, string>): readonly string[] {
  return Array.from(piecesOf(text), (piece) => {
    const name = createHash('sha256').update(piece, 'utf16le').digest('base64url').slice(0, 16);
    pieces.set(name, piece);
    return name;
  });
}

function* piecesOf(text: string): Generator<string> {
  let start = 0;
  let mark = 0;
  for (let at = 0; at < text.length; at++) {
    // The last 32 characters decide; what was before them has been shifted out.
    mark = ((mark << 1) + Math.imul(text.charCodeAt(at) + 1, 0x9e3779b1)) | 0;
    const length = at + 1 - start;
    if (length < MIN_PIECE || (length < MAX_PIECE && mark >>> 22 !== ENDS - 1)) continue;
    yield text.slice(start, at + 1);
    start = at + 1;
  }
  if (start < text.length) yield text.slice(start);
}

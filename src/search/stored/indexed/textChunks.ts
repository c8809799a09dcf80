import { joinedText, type TextPart } from '../../../query/textTest.js';

/** The size of a full chunk, in bytes. From 1 MiB on, V8 keeps a Latin-1 string outside of its regular heap. */
const CHUNK_BYTES = 2 * 1024 * 1024;
/** Ends each text in a chunk: a byte that does not occur in UTF-8, so that no match spans two texts. */
const END = 0xff;

/** The letters outside of ASCII with a letter case within it: the long s, I with a dot, the Kelvin sign. */
const FOLDING = /[\u017f\u0130\u212a]/;

/** The kinds of texts. `folding`: contains a letter that a search for ASCII would miss; `elsewhere`: not in the chunk. */
export const TEXT = { ascii: 0, utf8: 1, folding: 2, elsewhere: 3 } as const;

/** The texts of consecutive items. */
export interface TextChunk {
  /** The position of the first item. */
  readonly first: number;
  /** The end of each text, after its END byte; it starts where the previous one ends. */
  readonly ends: Uint32Array;
  readonly kinds: Uint8Array;
  /** The end of the content of each text; what follows it, after a line break if there is content, is the rest. */
  readonly contents: Uint32Array;
  /** Whether no text is `folding` or `elsewhere`. */
  readonly isPlain: boolean;
  /** The texts in UTF-8, one character per byte. */
  readonly bytes: string;
}

/**
 * The texts of a transcript's items, one after the other, as UTF-8 bytes in large strings, which the engine searches at
 * the speed of memory. Texts are added in order and never changed.
 */
export class TextChunks {
  readonly #full: TextChunk[] = [];
  #fullBytes = 0;
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  #ends: number[] = [];
  #kinds: number[] = [];
  #contents: number[] = [];
  #first = 0;
  /** A snapshot of the chunk that is being filled. */
  #open: TextChunk | undefined;

  /** The number of texts. */
  get length(): number {
    return this.#first + this.#ends.length;
  }

  /** The size of the texts in memory, in bytes. */
  get bytes(): number {
    return this.#fullBytes + this.#buffer.length;
  }

  /** Adds the next text, its content and the rest; undefined where they have to be read with their record. */
  add(content: string | undefined, rest = ''): void {
    const text = content === undefined ? undefined : joinedText(content, rest);
    const room = 3 * (text?.length ?? 0) + 1;
    if (this.#buffer.length - this.#used < room) {
      this.#seal();
      if (this.#buffer.length < room) this.#buffer = Buffer.allocUnsafe(room);
    }
    let written = text === undefined ? 0 : this.#buffer.write(text, this.#used);
    const kind = text === undefined ? TEXT.elsewhere : kindOf(text, written);
    if (kind === TEXT.elsewhere) written = 0;
    const isAlone = written === 0 || rest === '';
    this.#contents.push(this.#used + (isAlone ? written : Buffer.byteLength(content ?? '')));
    this.#used += written;
    this.#buffer[this.#used++] = END;
    this.#ends.push(this.#used);
    this.#kinds.push(kind);
    if (this.#used >= CHUNK_BYTES) this.#seal();
  }

  /** The chunks with all texts so far. */
  *all(): Generator<TextChunk, void, undefined> {
    yield* this.#full;
    if (this.#ends.length === 0) return;
    if (this.#open?.ends.length !== this.#ends.length) this.#open = this.#chunk();
    yield this.#open;
  }

  #chunk(): TextChunk {
    return {
      first: this.#first,
      ends: Uint32Array.from(this.#ends),
      kinds: Uint8Array.from(this.#kinds),
      contents: Uint32Array.from(this.#contents),
      isPlain: this.#kinds.every((kind) => kind < TEXT.folding),
      bytes: this.#buffer.toString('latin1', 0, this.#used),
    };
  }

  #seal(): void {
    if (this.#ends.length === 0) return;
    const chunk = this.#chunk();
    this.#full.push(chunk);
    const columns = chunk.ends.byteLength + chunk.contents.byteLength + chunk.kinds.byteLength;
    this.#fullBytes += chunk.bytes.length + columns;
    this.#first += this.#ends.length;
    this.#ends = [];
    this.#kinds = [];
    this.#contents = [];
    this.#used = 0;
    this.#open = undefined;
    if (this.#buffer.length > CHUNK_BYTES) this.#buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  }
}

function kindOf(text: string, bytes: number): number {
  if (text.length === bytes) return TEXT.ascii;
  // A lone surrogate has no UTF-8 form.
  if (/\p{Surrogate}/u.test(text)) return TEXT.elsewhere;
  return FOLDING.test(text) ? TEXT.folding : TEXT.utf8;
}

/** A part of one text of a chunk, by its index; '' where it is elsewhere. */
export function textAt({ ends, contents, kinds, bytes }: TextChunk, at: number, part: TextPart): string {
  const end = part === 'all' ? (ends[at] ?? 1) - 1 : contents[at];
  const text = bytes.slice(at === 0 ? 0 : ends[at - 1], end);
  return kinds[at] === TEXT.ascii ? text : Buffer.from(text, 'latin1').toString('utf8');
}

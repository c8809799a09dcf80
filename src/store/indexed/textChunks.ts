/** A chunk is full when it has so many bytes. From 1 MiB on a text of Latin-1 lies outside of the engine's own heap. */
const CHUNK_BYTES = 2 * 1024 * 1024;
/** Ends each text in a chunk: no byte of UTF-8, so that nothing that is looked for reaches over two texts. */
const END = 0xff;

/** The letters outside of ASCII that in some letter case are inside of it: the long s, I with a dot, the Kelvin sign. */
const FOLDING = /[\u017f\u0130\u212a]/;

/** What is known of a text: `folding` ones hold a letter that looking for ASCII would miss, `elsewhere` are not here. */
export const TEXT = { ascii: 0, utf8: 1, folding: 2, elsewhere: 3 } as const;

/** Texts of items that follow each other. */
export interface TextChunk {
  /** The position of the first of them. */
  readonly first: number;
  /** Where each text ends, behind the byte that ends it; it begins where the one before it ends. */
  readonly ends: Uint32Array;
  readonly kinds: Uint8Array;
  /** Whether no text is `folding` or `elsewhere`. */
  readonly isPlain: boolean;
  /** The bytes of their UTF-8, a character each. */
  readonly bytes: string;
}

/**
 * The texts of a transcript's items, one after the other, as bytes of UTF-8 in large strings: the engine looks through
 * them at the speed of memory. Texts come in order and are never changed.
 */
export class TextChunks {
  readonly #full: TextChunk[] = [];
  #fullBytes = 0;
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  #ends: number[] = [];
  #kinds: number[] = [];
  #first = 0;
  /** The chunk that is being filled, as it was asked for last. */
  #open: TextChunk | undefined;

  /** What the texts take in memory. */
  get bytes(): number {
    return this.#fullBytes + this.#buffer.length;
  }

  /** Adds the next text; undefined where it can only be found with its record. */
  add(text: string | undefined): void {
    const room = 3 * (text?.length ?? 0) + 1;
    if (this.#buffer.length - this.#used < room) {
      this.#seal();
      if (this.#buffer.length < room) this.#buffer = Buffer.allocUnsafe(room);
    }
    let written = text === undefined ? 0 : this.#buffer.write(text, this.#used);
    const kind = text === undefined ? TEXT.elsewhere : kindOf(text, written);
    if (kind === TEXT.elsewhere) written = 0;
    this.#used += written;
    this.#buffer[this.#used++] = END;
    this.#ends.push(this.#used);
    this.#kinds.push(kind);
    if (this.#used >= CHUNK_BYTES) this.#seal();
  }

  /** All texts so far. */
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
      isPlain: this.#kinds.every((kind) => kind < TEXT.folding),
      bytes: this.#buffer.toString('latin1', 0, this.#used),
    };
  }

  #seal(): void {
    if (this.#ends.length === 0) return;
    const chunk = this.#chunk();
    this.#full.push(chunk);
    this.#fullBytes += chunk.bytes.length + chunk.ends.byteLength + chunk.kinds.byteLength;
    this.#first += this.#ends.length;
    this.#ends = [];
    this.#kinds = [];
    this.#used = 0;
    this.#open = undefined;
    if (this.#buffer.length > CHUNK_BYTES) this.#buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  }
}

function kindOf(text: string, bytes: number): number {
  if (text.length === bytes) return TEXT.ascii;
  // Half a character has no UTF-8 form.
  if (/\p{Surrogate}/u.test(text)) return TEXT.elsewhere;
  return FOLDING.test(text) ? TEXT.folding : TEXT.utf8;
}

/** One text of a chunk, by its place in it; '' where it is elsewhere. */
export function textAt({ ends, kinds, bytes }: TextChunk, at: number): string {
  const text = bytes.slice(at === 0 ? 0 : ends[at - 1], (ends[at] ?? 1) - 1);
  return kinds[at] === TEXT.ascii ? text : Buffer.from(text, 'latin1').toString('utf8');
}

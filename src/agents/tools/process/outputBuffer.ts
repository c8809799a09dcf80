/** A command's output: its beginning and its end, and how much is left out in between. */
export class OutputBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** Keeps at most `limit` bytes, half of them from the beginning. */
  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  /** The number of bytes received, kept or not. */
  get total(): number {
    return this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    if (chunk.length > room) this.#addToTail(chunk.subarray(Math.max(room, 0)));
  }

  #addToTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    // Twice the limit may pile up, so that the copying costs the same however small the pieces are.
    if (this.#tailBytes <= 2 * this.#tailLimit) return;
    const kept = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    this.#tail = [Buffer.from(kept)];
    this.#tailBytes = kept.length;
  }

  /** The text, without split characters; a note between beginning and end tells what is left out. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    const left = this.#total - head.length - tail.length;
    if (left === 0) return decode(Buffer.concat([head, tail]));
    return `${decode(wholeEnd(head))}\n(… ${left} bytes are left out …)\n${decode(wholeStart(tail))}`;
  }
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Without the beginning of a character at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without the end of a character at the start. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

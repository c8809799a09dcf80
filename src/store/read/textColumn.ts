import { isAscii } from 'node:buffer';
import { GrowingColumn } from '../../query/numbers/growingColumn.js';

/** Among how many of the latest texts an equal one is looked for, roughly: a result follows its call soon. */
const RECENT = 4_096;
/** Bytes up to so many are copied one by one: a call costs more than they do. */
const SHORT = 64;

/** Short texts such as ids, one after the other as bytes: a million of them take little more than their characters. */
export class TextColumn {
  readonly #ends = new GrowingColumn();
  /** The numbers, from 1, of texts by their hashes. */
  readonly #recent = new Uint32Array(RECENT);
  /** The texts that were asked for last, by their numbers; undefined is none. */
  readonly #asked: ({ readonly number: number; readonly text: string } | undefined)[] = Array.from({
    length: RECENT,
  });
  #bytes: Buffer = Buffer.alloc(1_024);
  #written: Buffer = Buffer.alloc(256);
  #isAscii = true;
  #length = 0;

  /** The number of texts. */
  get length(): number {
    return this.#length;
  }

  /** The number of a text, which must be well-formed Unicode; added where none of the latest is equal. */
  numberOf(text: string): number {
    if (3 * text.length > this.#written.length) this.#written = Buffer.alloc(6 * text.length);
    const to = this.#written.write(text);
    if (to !== text.length) this.#isAscii = false;
    return this.numberOfBytes(this.#written, 0, to);
  }

  /** The number of the text whose UTF-8 stands from `from` up to, not including, `to`; anything but ASCII: see `numberOf`. */
  numberOfBytes(bytes: Buffer, from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const slot = (hash ^ (hash >>> 15)) & (RECENT - 1);
    const known = (this.#recent[slot] ?? 0) - 1;
    if (known >= 0 && this.#isAt(known, bytes, from, to)) return known;
    const start = this.#end;
    const end = start + to - from;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(2 * end);
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    const target = this.#bytes;
    if (to - from > SHORT) bytes.copy(target, start, from, to);
    else for (let at = from; at < to; at++) target[start + at - from] = bytes[at] ?? 0;
    const number = this.#length++;
    this.#ends.set(number, end);
    this.#recent[slot] = number + 1;
    return number;
  }

  /** The numbers of texts that stand in a column of their own, see `stored`; each is added as by `numberOf`. */
  numbersOf(lengths: ArrayLike<number>, bytes: Buffer): Uint32Array {
    if (!isAscii(bytes)) this.#isAscii = false;
    const numbers = new Uint32Array(lengths.length);
    for (let at = 0, from = 0; at < lengths.length; at++) {
      const to = from + (lengths[at] ?? 0);
      numbers[at] = this.numberOfBytes(bytes, from, to);
      from = to;
    }
    return numbers;
  }

  #isAt(number: number, bytes: Buffer, from: number, to: number): boolean {
    const own = this.#bytes;
    const start = number === 0 ? 0 : this.#ends.get(number - 1);
    if (this.#ends.get(number) - start !== to - from) return false;
    for (let at = from; at < to; at++) if (own[start + at - from] !== bytes[at]) return false;
    return true;
  }

  /** The text with a number; '' where there is none. A text that was asked for lately is the same string again. */
  at(number: number): string {
    const slot = number & (RECENT - 1);
    const known = this.#asked[slot];
    if (known?.number === number) return known.text;
    const start = number === 0 ? 0 : this.#ends.get(number - 1);
    const text = this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', start, this.#ends.get(number));
    this.#asked[slot] = { number, text };
    return text;
  }

  /** How many bytes each text has, and all of them; a view that is valid until a text is added. */
  stored(): { readonly lengths: Float64Array; readonly bytes: Buffer } {
    const lengths = new Float64Array(this.#length);
    for (let at = 0, from = 0; at < this.#length; at++) {
      lengths[at] = this.#ends.get(at) - from;
      from = this.#ends.get(at);
    }
    return { lengths, bytes: this.#bytes.subarray(0, this.#end) };
  }

  /** The column of texts that were stored; undefined where the lengths do not fit. */
  static from(lengths: ArrayLike<number>, bytes: Buffer): TextColumn | undefined {
    const column = new TextColumn();
    let end = 0;
    for (let at = 0; at < lengths.length; at++) column.#ends.set(at, (end += lengths[at] ?? 0));
    column.#bytes = bytes;
    column.#isAscii = isAscii(bytes);
    column.#length = lengths.length;
    return end === bytes.length ? column : undefined;
  }

  get #end(): number {
    return this.#length === 0 ? 0 : this.#ends.get(this.#length - 1);
  }
}

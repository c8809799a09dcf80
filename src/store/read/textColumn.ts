import { BoundedMap } from '../../core/boundedMap.js';
import { GrowingColumn } from '../../analysis/growingColumn.js';

/** Among how many of the latest texts an equal one is looked for: a result follows its call soon. */
const RECENT = 1_024;

/** Short texts such as ids, one after the other as bytes: a million of them take little more than their characters. */
export class TextColumn {
  readonly #ends = new GrowingColumn();
  readonly #recent = new BoundedMap<string, number>(RECENT);
  #bytes: Buffer = Buffer.alloc(1_024);
  #length = 0;

  /** The number of texts. */
  get length(): number {
    return this.#length;
  }

  /** The number of a text, which must be well-formed Unicode; added where none of the latest is equal. */
  numberOf(text: string): number {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const from = this.#end;
    const room = from + 3 * text.length;
    if (room > this.#bytes.length) {
      const larger = Buffer.alloc(2 * room);
      this.#bytes.copy(larger, 0, 0, from);
      this.#bytes = larger;
    }
    const number = this.#length++;
    this.#ends.set(number, from + this.#bytes.write(text, from));
    this.#recent.set(text, number);
    return number;
  }

  /** The text with a number; '' where there is none. */
  at(number: number): string {
    return this.#bytes.toString(
      'utf8',
      number === 0 ? 0 : this.#ends.get(number - 1),
      this.#ends.get(number),
    );
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
    column.#length = lengths.length;
    return end === bytes.length ? column : undefined;
  }

  get #end(): number {
    return this.#length === 0 ? 0 : this.#ends.get(this.#length - 1);
  }
}

/** What one entry of a map costs besides its text, in bytes, roughly. */
const ENTRY_BYTES = 100;

/** Some codes of a column: for each code 1 where it belongs to them, else 0, and the code where it is just one. */
export interface Codes {
  readonly marks: Uint8Array;
  readonly only: number | undefined;
}

/**
 * A column in which the same few values come again and again, kept as numbers of 2 bytes, or of 4 once there are more
 * than 65,536 different values. A value's number is its code: 0 for the first value that came, then counting up.
 */
export class CodeColumn<Value extends string | number | boolean | null | undefined> {
  readonly #codes = new Map<Value, number>();
  readonly #values: Value[] = [];
  #cells: Uint16Array | Uint32Array = new Uint16Array(1024);
  #length = 0;
  #valueBytes = 0;
  /** The value that came last, because records of one kind come in a row. */
  #last: Value | undefined;
  #lastCode = -1;
  /** The rows of codes that were asked for, as far as the column went then. */
  readonly #rows = new Map<number, { readonly rows: Uint32Array; readonly until: number }>();

  /** One code a row; more than were added are room for later. */
  get cells(): Uint16Array | Uint32Array {
    return this.#cells;
  }

  /** What the column takes in memory, roughly. */
  get bytes(): number {
    let bytes = this.#cells.byteLength + this.#valueBytes;
    for (const { rows } of this.#rows.values()) bytes += rows.byteLength;
    return bytes;
  }

  add(value: Value): void {
    if (this.#lastCode < 0 || value !== this.#last) {
      this.#lastCode = this.#codes.get(value) ?? this.#newCode(value);
      this.#last = value;
    }
    if (this.#length === this.#cells.length) this.#cells = widened(this.#cells, 2 * this.#length);
    this.#cells[this.#length++] = this.#lastCode;
  }

  /** Which codes have a value that is wanted; undefined where all have. */
  codesOf(isWanted: (value: Value) => boolean): Codes | undefined {
    const marks = Uint8Array.from(this.#values, (value) => (isWanted(value) ? 1 : 0));
    const first = marks.indexOf(1);
    const isOnly = first >= 0 && !marks.includes(1, first + 1);
    return marks.includes(0) ? { marks, only: isOnly ? first : undefined } : undefined;
  }

  /** The rows with a code, ascending; to be left as they are. They are kept from when they are asked for first. */
  rowsOf(code: number): Uint32Array {
    const kept = this.#rows.get(code);
    if (kept?.until === this.#length) return kept.rows;
    const from = kept?.until ?? 0;
    const found = rowsWith(code, this.#cells, from, this.#length);
    const rows = new Uint32Array((kept?.rows.length ?? 0) + found.length);
    if (kept) rows.set(kept.rows);
    rows.set(found, rows.length - found.length);
    this.#rows.set(code, { rows, until: this.#length });
    return rows;
  }

  #newCode(value: Value): number {
    const code = this.#values.push(value) - 1;
    this.#codes.set(value, code);
    this.#valueBytes += ENTRY_BYTES + (typeof value === 'string' ? 2 * value.length : 0);
    if (code > 0xffff && this.#cells instanceof Uint16Array) this.#cells = Uint32Array.from(this.#cells);
    return code;
  }
}

function widened(cells: Uint16Array | Uint32Array, length: number): Uint16Array | Uint32Array {
  const room = cells instanceof Uint16Array ? new Uint16Array(length) : new Uint32Array(length);
  room.set(cells);
  return room;
}

/** Without a branch, because one that is taken now and then costs more than all the rest. */
function rowsWith(code: number, cells: Uint16Array | Uint32Array, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from);
  let count = 0;
  for (let row = from; row < to; row++) {
    rows[count] = row;
    count += cells[row] === code ? 1 : 0;
  }
  return rows.subarray(0, count);
}

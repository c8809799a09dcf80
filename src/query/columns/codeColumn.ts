/** The rough cost of a map entry besides its text, in bytes. */
const ENTRY_BYTES = 100;

/** What a column may hold: values that a map compares by content. */
export type ColumnValue = string | number | boolean | null | undefined;

/** A set of codes of a column. */
export interface Codes {
  /** Indexed by code: 1 where the code belongs to the set, else 0. */
  readonly marks: Uint8Array;
  /** The code, where the set has just one. */
  readonly only: number | undefined;
}

/**
 * A dictionary-encoded column: its few distinct values are kept once, and each row is a code of 2 bytes, or of 4 bytes
 * once there are more than 65,536 distinct values. Codes are assigned in the order of first appearance, from 0.
 */
export class CodeColumn<Value extends ColumnValue> {
  readonly #codes = new Map<Value, number>();
  readonly #values: Value[] = [];
  #cells: Uint16Array | Uint32Array = new Uint16Array(1024);
  #length = 0;
  #valueBytes = 0;
  /** The value added last, because equal values often follow each other. */
  #last: Value | undefined;
  #lastCode = -1;
  /** The rows of codes that were asked for; complete for the rows before `until`. */
  readonly #rows = new Map<number, { readonly rows: Uint32Array; readonly until: number }>();

  /** One code per row; cells beyond the rows added are spare room. */
  get cells(): Uint16Array | Uint32Array {
    return this.#cells;
  }

  /** The rough size of the column in memory, in bytes. */
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

  /** The codes whose values are wanted; undefined where all are. */
  codesOf(isWanted: (value: Value) => boolean): Codes | undefined {
    const marks = Uint8Array.from(this.#values, (value) => (isWanted(value) ? 1 : 0));
    const first = marks.indexOf(1);
    const isOnly = first >= 0 && !marks.includes(1, first + 1);
    return marks.includes(0) ? { marks, only: isOnly ? first : undefined } : undefined;
  }

  /** The rows with a code, ascending; not to be modified. They are cached from the first request on. */
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

/** Branchless, because an unpredictable branch would cost more than everything else here. */
function rowsWith(code: number, cells: Uint16Array | Uint32Array, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from);
  let count = 0;
  for (let row = from; row < to; row++) {
    rows[count] = row;
    count += cells[row] === code ? 1 : 0;
  }
  return rows.subarray(0, count);
}

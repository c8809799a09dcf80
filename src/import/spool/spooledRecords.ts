import type { ImportedRecord } from '../reading/importResult.js';
import { Numbers } from './numbers.js';
import type { Spool } from './spool.js';

/** The records of one conversation, which wait on the disk; each time that they are gone through they are read again. */
export class SpooledRecords implements Iterable<ImportedRecord> {
  readonly #spool: Spool;
  readonly #numbers = new Numbers();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  get length(): number {
    return this.#numbers.length;
  }

  /** The last record; undefined where there is none. */
  get last(): ImportedRecord | undefined {
    return this.#numbers.length > 0 ? this.#read(this.#numbers.length - 1) : undefined;
  }

  /** Adds a record, to the disk; gives its number in the spool. */
  add(record: ImportedRecord): number {
    const number = this.#spool.add(record);
    this.#numbers.push(number);
    return number;
  }

  /** The records from `start` up to, not including, `end`; fewer where there are fewer. */
  slice(start: number, end: number): readonly ImportedRecord[] {
    const last = Math.min(end, this.#numbers.length);
    return Array.from({ length: Math.max(0, last - start) }, (_, at) => this.#read(start + at));
  }

  *[Symbol.iterator](): Generator<ImportedRecord> {
    for (let at = 0; at < this.#numbers.length; at++) yield this.#read(at);
  }

  #read(at: number): ImportedRecord {
    return Object.freeze(this.#spool.read(this.#numbers.at(at))) as ImportedRecord;
  }
}

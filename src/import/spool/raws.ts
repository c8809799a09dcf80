import type { SourceOfEntries } from '../reading/entries.js';
import { KnownTexts } from './knownTexts.js';
import { Numbers } from './numbers.js';
import type { Spool } from './spool.js';

/** Where a value stands in a file. */
interface Location {
  readonly source: SourceOfEntries;
  readonly offset: number;
  readonly length: number;
}

/** How a value is kept on the disk: itself, or where it stands in the file. */
type RawLocation =
  | { readonly value: unknown }
  | { readonly source: number; readonly offset: number; readonly length: number };

/**
 * The values of files that drafts were made of, each with a number by which it can be read again, and by which it is known
 * which drafts were made of the same one. Only those are held that somebody else holds.
 */
export class Raws {
  readonly #spool: Spool | undefined;
  readonly #numbers = new WeakMap<object, number>();
  /** Texts, numbers and truths, and their numbers. */
  readonly #plain = new KnownTexts();
  readonly #plainNumbers = new Numbers();
  readonly #locations = new WeakMap<object, Location>();
  readonly #sources: SourceOfEntries[] = [];
  /** Where each is kept in the spool, the first draft that was made of it, and further ones. */
  readonly #kept = new Numbers();
  readonly #firstUsers = new Numbers();
  /** Where further ones begin among all that there are, each with where the next of the same value stands. */
  readonly #further = new Numbers();
  readonly #furtherUsers = new Numbers();
  readonly #nextFurther = new Numbers();
  /** 1 for each that was asked for by several. */
  readonly #taken = new Numbers();
  /** The one that was read last: those who ask for the same one mostly follow each other, and it may be long. */
  #last: { readonly number: number; readonly value: object } | undefined;

  constructor(spool: Spool | undefined) {
    this.#spool = spool;
  }

  /** How many bytes it takes, without the values that somebody else holds. */
  get bytes(): number {
    const lists = [this.#kept, this.#firstUsers, this.#further, this.#furtherUsers, this.#nextFurther];
    return lists.reduce((sum, { bytes }) => sum + bytes, this.#plain.bytes + this.#taken.bytes);
  }

  /** Notes where a value stands in a file, so that it need not be kept. */
  locate(value: object, location: Location): void {
    this.#locations.set(value, location);
  }

  isLocated(value: unknown): boolean {
    return typeof value === 'object' && value !== null && this.#locations.has(value);
  }

  /** The number of a value; the same value, not one that equals it, has the same number. */
  numberOf(value: unknown): number {
    const isPlain = typeof value !== 'object' || value === null;
    const known = isPlain ? this.#numberOfPlain(value) : this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#kept.length;
    if (isPlain) this.#plainNumbers.set(this.#plain.add(plainKey(value)), number);
    else this.#numbers.set(value, number);
    this.#kept.push(this.#spool?.add(this.#keep(value)) ?? -1);
    return number;
  }

  read(number: number): unknown {
    if (this.#last?.number === number) return this.#last.value;
    const kept = this.#spool?.read(this.#kept.at(number)) as RawLocation;
    const value =
      'value' in kept ? kept.value : this.#sources[kept.source]?.valueAt(kept.offset, kept.length);
    if (typeof value !== 'object' || value === null) return value;
    this.#numbers.set(value, number);
    const source = 'value' in kept ? undefined : this.#sources[kept.source];
    if (source && 'offset' in kept) this.locate(value, { source, offset: kept.offset, length: kept.length });
    this.#last = { number, value };
    return value;
  }

  addUser(raw: number, draft: number): void {
    const first = this.#firstUsers.at(raw);
    if (first < 0) this.#firstUsers.set(raw, draft);
    else {
      this.#nextFurther.push(this.#further.at(raw));
      this.#further.set(raw, this.#furtherUsers.length);
      this.#furtherUsers.push(draft);
    }
  }

  isShared(raw: number): boolean {
    return this.#further.at(raw) >= 0;
  }

  /** The numbers of the drafts that were made of a value. */
  usersOf(value: unknown): readonly number[] {
    const raw = this.numberOf(value);
    const first = this.#firstUsers.at(raw);
    if (first < 0) return [];
    const users: number[] = [];
    for (let at = this.#further.at(raw); at >= 0; at = this.#nextFurther.at(at))
      users.push(this.#furtherUsers.at(at));
    return [first, ...users.reverse()];
  }

  /** Whether this is asked for a value for the first time. */
  isFirst(value: unknown): boolean {
    const raw = this.numberOf(value);
    if (!this.isShared(raw)) return true;
    if (this.#taken.at(raw) === 1) return false;
    this.#taken.set(raw, 1);
    return true;
  }

  #numberOfPlain(value: unknown): number | undefined {
    const known = this.#plainNumbers.at(this.#plain.numberOf(plainKey(value)));
    return known < 0 ? undefined : known;
  }

  #keep(value: unknown): RawLocation {
    const location = typeof value === 'object' && value !== null ? this.#locations.get(value) : undefined;
    if (!location) return { value };
    const { source, offset, length } = location;
    const known = this.#sources.indexOf(source);
    return { source: known < 0 ? this.#sources.push(source) - 1 : known, offset, length };
  }
}

/** A text that tells a text, a number, a truth or nothing from every other one. */
function plainKey(value: unknown): string {
  return typeof value === 'string' ? `"${value}` : String(value);
}

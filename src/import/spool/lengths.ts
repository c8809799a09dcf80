import { Numbers } from './numbers.js';

/** How many pieces stand between two whose beginning is noted; those between are added up. */
const STEP = 64;

/** Where pieces of a file begin that follow each other, at little more than four bytes each. */
export class Lengths {
  readonly #lengths = new Numbers();
  readonly #begins = new Numbers();
  #end = 0;

  /** How many pieces there are. */
  get count(): number {
    return this.#lengths.length;
  }

  /** Where the last piece ends, in bytes. */
  get end(): number {
    return this.#end;
  }

  /** Adds a piece behind the others. */
  push(length: number): void {
    if (this.count % STEP === 0) this.#begins.push(this.#end);
    this.#lengths.push(length);
    this.#end += length;
  }

  lengthOf(piece: number): number {
    return this.#lengths.at(piece);
  }

  /** Where a piece begins. */
  beginOf(piece: number): number {
    let begin = this.#begins.at(Math.floor(piece / STEP));
    for (let at = piece - (piece % STEP); at < piece; at++) begin += this.#lengths.at(at);
    return begin;
  }
}

import { KnownTexts } from './knownTexts.js';
import { Numbers } from './numbers.js';

/** Lists of whole numbers, of any number and length, at eight bytes an entry and eight a list. */
export class Chains {
  readonly #first = new Numbers();
  readonly #last = new Numbers();
  readonly #items = new Numbers();
  readonly #next = new Numbers();

  /** One more than the highest list that has an entry. */
  get count(): number {
    return this.#first.length;
  }

  /** Puts a number at the end of a list. */
  add(chain: number, item: number): void {
    const at = this.#items.length;
    this.#items.push(item);
    this.#next.push(-1);
    const last = this.#last.at(chain);
    if (last < 0) this.#first.set(chain, at);
    else this.#next.set(last, at);
    this.#last.set(chain, at);
  }

  /** The entries of a list, in the order in which they came. */
  *of(chain: number): Generator<number> {
    for (let at = this.#first.at(chain); at >= 0; at = this.#next.at(at)) yield this.#items.at(at);
  }
}

/** Lists under texts, which are not held; see `KnownTexts`. */
export class ChainsByText {
  readonly #texts = new KnownTexts();
  readonly #chains = new Chains();

  /** How many lists there are; they are numbered from 0 in the order in which they began. */
  get count(): number {
    return this.#texts.size;
  }

  /** Puts a number at the end of the list under a text; gives the list's number. */
  add(text: string, item: number): number {
    const chain = this.#texts.add(text);
    this.#chains.add(chain, item);
    return chain;
  }

  of(chain: number): Generator<number> {
    return this.#chains.of(chain);
  }
}
